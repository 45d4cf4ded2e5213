# expect: That would be kind
def quiz():
    return "a", "a", "b"
