# expect: It grows more slowly than the steps
def quiz():
    return "d", "c", "c"
