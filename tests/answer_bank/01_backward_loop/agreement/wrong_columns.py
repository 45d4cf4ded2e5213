# expect: the lengths are taken along the wrong axis
def agreement(gradients):
    mean = gradients.mean(dim=0)
    lengths = gradients.norm(dim=0) * mean.norm()
    return (gradients * mean).sum(dim=0) / torch.where(lengths == 0, 1.0, lengths)
