# expect: Look at the first column of the table of per-sample gradients
def quiz():
    return "b", "b", "a"
