# expect: Compare the smallest eigenvalues
def quiz():
    return "c", "a", "b"
