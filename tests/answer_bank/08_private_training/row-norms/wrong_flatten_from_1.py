# expect: row_norms(gradients) for three parameters
def row_norms(gradients):
    return sum(g.flatten(1).square().sum(dim=1) for g in gradients.values()).sqrt()
