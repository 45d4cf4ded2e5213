# expect: An index that is a plain number works
def quiz():
    return "b", "b", "b"
