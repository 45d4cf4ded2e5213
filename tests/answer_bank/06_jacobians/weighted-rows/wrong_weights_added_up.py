# expect: The rows were added up
def weighted_rows(f, x, U):
    return vjp(f, x)[1](U.sum(dim=0))[0]
