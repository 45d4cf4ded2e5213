def quiz():
    return "b", "a", "b"
