def quiz():
    return "b", "a", "c"
