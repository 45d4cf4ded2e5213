def quiz():
    return "b", "b", "a"
