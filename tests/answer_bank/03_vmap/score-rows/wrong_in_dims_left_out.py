# expect: The weights were walked along as well
def score_rows(score, w, X):
    return vmap(score)(w, X)
