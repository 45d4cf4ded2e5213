# expect: Then nothing would be lost
def quiz():
    return "b", "b", "b"
