# expect: Add the squares, and take one root
def row_norms(gradients):
    return sum(g.reshape(len(g), -1).norm(dim=1) for g in gradients.values())
