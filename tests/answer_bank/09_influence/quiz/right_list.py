def quiz():
    return ["B", "c", "b"]
