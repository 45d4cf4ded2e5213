# expect: It leaves the factor 1 - αH out
def quiz():
    return "a", "b", "a"
