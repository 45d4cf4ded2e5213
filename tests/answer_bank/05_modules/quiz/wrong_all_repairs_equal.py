# expect: They are different networks
def quiz():
    return "b", "d", "c"
