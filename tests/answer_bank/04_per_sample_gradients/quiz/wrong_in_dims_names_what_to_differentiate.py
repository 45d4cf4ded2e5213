# expect: What to differentiate is said to grad, with argnums
def quiz():
    return "a", "b", "d"
