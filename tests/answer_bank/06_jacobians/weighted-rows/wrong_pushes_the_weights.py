# expect: weighted_rows(f, x, U)
def weighted_rows(f, x, U):
    return vmap(lambda u: jvp(f, (x,), (u,))[1])(U)
