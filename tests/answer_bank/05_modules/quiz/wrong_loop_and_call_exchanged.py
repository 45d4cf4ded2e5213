# expect: You have the two the wrong way round
def quiz():
    return "b", "a", "b"
