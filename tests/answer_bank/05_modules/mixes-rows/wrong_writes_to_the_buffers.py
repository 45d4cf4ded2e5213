# expect: changed its argument model
def mixes_rows(model, X):
    others = torch.cat([X[:1], 2 * X[1:] + 1])
    return bool((model(X)[0] - model(others)[0]).abs().max() > 1e-6)
