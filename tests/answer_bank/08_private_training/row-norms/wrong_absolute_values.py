# expect: Absolute values were added up
def row_norms(gradients):
    return sum(g.flatten(1).abs().sum(dim=1) for g in gradients.values())
