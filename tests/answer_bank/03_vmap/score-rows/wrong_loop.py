# expect: A loop runs it once for each row
def score_rows(score, w, X):
    return torch.stack([score(w, x_row) for x_row in X])
