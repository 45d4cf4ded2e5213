# expect: That is the noise of the sum
def quiz():
    return "b", "b", "c"
