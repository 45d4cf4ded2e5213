# expect: U was not used
def weighted_rows(f, x, U):
    return jacrev(f)(x)
