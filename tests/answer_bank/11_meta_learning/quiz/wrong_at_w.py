# expect: That is the gradient at w
def quiz():
    return "d", "b", "a"
