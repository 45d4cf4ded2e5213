# expect: How many numbers come back
def quiz():
    return "b", "b", "c"
