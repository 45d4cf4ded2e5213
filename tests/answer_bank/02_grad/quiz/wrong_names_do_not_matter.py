# expect: Compare the two lines of moves
def quiz():
    return "b", "a", "b"
