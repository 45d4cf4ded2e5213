def quiz():
    return ["b", "B", "a"]
