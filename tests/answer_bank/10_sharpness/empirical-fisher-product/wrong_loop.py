# expect: in one call
def empirical_fisher_product(loss, w, X, y, v):
    total = torch.zeros_like(w)
    for x_row, target in zip(X, y):
        g = grad(loss)(w, x_row, target)
        total = total + g * (g @ v)
    return total / len(X)
