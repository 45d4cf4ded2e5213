# expect: That is the line of the function that returns one number
def quiz():
    return "b", "c", "b"
