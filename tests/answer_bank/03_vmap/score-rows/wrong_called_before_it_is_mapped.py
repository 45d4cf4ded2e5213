# expect: 'Tensor' object is not callable
def score_rows(score, w, X):
    return vmap(score(w, X), in_dims=(None, 0))(w, X)
