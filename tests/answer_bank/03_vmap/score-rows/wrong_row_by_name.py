# expect: in_dims
def score_rows(score, w, X):
    return vmap(score, in_dims=(None,))(w, x_row=X)
