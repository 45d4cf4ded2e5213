# expect: Negative: the loss falls when the row goes
def quiz():
    return "a", "c", "b"
