# expect: grad follows arguments, not numbers
def quiz():
    return "c", "c", "b"
