# expect: This is the transpose: one row for each weight
def weighted_rows(f, x, U):
    _, pull = vjp(f, x)
    return vmap(pull, out_dims=1)(U)[0]
