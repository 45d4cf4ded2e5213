# expect: your function changed its argument X
def score_rows(score, w, X):
    X.sub_(X.mean(dim=0))
    return vmap(score, in_dims=(None, 0))(w, X)
