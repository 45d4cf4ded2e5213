from functools import partial


def score_rows(score, w, X):
    mapped = torch.vmap(partial(score, w), in_dims=0, out_dims=0)
    return mapped(X)
