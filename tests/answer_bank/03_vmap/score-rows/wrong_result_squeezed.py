# expect: shape (), expected (1,)
def score_rows(score, w, X):
    return vmap(score, in_dims=(None, 0))(w, X).squeeze()
