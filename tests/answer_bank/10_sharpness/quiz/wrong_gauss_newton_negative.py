# expect: Hl has no negative eigenvalue
def quiz():
    return "a", "a", "b"
