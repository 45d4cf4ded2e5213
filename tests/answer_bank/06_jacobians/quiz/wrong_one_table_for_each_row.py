# expect: That is vmap(jacrev(f))
def quiz():
    return "b", "c", "a"
