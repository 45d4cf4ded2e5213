# expect: dtype float64, expected float32
def score_rows(score, w, X):
    return vmap(score, in_dims=(None, 0))(w.double(), X.double())
