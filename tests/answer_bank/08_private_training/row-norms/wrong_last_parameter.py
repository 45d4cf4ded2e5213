# expect: norms of the bias alone
def row_norms(gradients):
    for g in gradients.values():
        norms = g.flatten(1).norm(dim=1)
    return norms
