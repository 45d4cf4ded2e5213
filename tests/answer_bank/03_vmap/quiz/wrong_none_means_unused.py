# expect: None is not about whether an argument is used
def quiz():
    return "a", "c", "a"
