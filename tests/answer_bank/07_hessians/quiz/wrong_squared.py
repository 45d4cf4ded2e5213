# expect: Two derivatives of 60 f
def quiz():
    return "d", "c", "c"
