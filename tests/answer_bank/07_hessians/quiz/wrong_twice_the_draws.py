# expect: Twice as many draws
def quiz():
    return "b", "b", "c"
