# expect: in_dims needs one entry for each positional argument
def score_rows(score, w, X):
    return vmap(score, in_dims=[None, 0])(w, X)
