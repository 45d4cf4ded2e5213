# expect: A pull belongs to an output
def quiz():
    return "c", "c", "c"
