def weighted_rows(f, x, U):
    return jacrev(lambda x: U @ f(x))(x)
