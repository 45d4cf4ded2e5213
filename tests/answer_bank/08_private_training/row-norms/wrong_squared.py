# expect: The root is missing
def row_norms(gradients):
    return sum(g.reshape(len(g), -1).square().sum(dim=1) for g in gradients.values())
