# expect: It is exact, for any N
def quiz():
    return "b", "c", "d"
