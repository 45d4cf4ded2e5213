# expect: That is σ alone
def quiz():
    return "a", "b", "c"
