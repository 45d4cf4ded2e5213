# expect: a harmful row need not be flipped
def quiz():
    return "c", "c", "b"
