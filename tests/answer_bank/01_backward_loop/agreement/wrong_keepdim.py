# expect: There is an axis of size 1 too many
def agreement(gradients):
    m = gradients.mean(0, keepdim=True)
    return (gradients @ m.T / gradients.norm(dim=1, keepdim=True) / m.norm()).nan_to_num(0.0)
