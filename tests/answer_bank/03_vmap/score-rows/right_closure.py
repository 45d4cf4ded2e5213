def score_rows(score, w, X):
    return vmap(lambda x_row: score(w, x_row))(X)
