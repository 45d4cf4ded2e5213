def score_rows(score, w, X):
    mapped = vmap(score, in_dims=(None, -2), chunk_size=1000)
    return mapped(w, X)
