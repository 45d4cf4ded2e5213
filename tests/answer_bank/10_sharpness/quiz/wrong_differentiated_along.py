# expect: the third of the wrong ways
def quiz():
    return "b", "a", "a"
