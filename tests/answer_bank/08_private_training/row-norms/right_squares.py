def row_norms(gradients):
    total = 0
    for g in gradients.values():
        total = total + g.reshape(g.shape[0], -1).pow(2).sum(1)
    return total**0.5
