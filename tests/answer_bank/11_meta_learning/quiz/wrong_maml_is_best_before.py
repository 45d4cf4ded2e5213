# expect: It was trained for the loss after a step
def quiz():
    return "b", "a", "a"
