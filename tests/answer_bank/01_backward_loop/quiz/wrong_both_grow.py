# expect: Read down the last column of the cost table
def quiz():
    return "b", "d", "b"
