# expect: The columns were scored in place of the rows
def score_rows(score, w, X):
    return vmap(score, in_dims=(None, 1))(w, X)
