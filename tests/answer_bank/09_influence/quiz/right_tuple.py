def quiz():
    return "b", "c", "b"
