# expect: The rows stand in a tuple
def weighted_rows(f, x, U):
    _, pull = vjp(f, x)
    return vmap(pull)(U)
