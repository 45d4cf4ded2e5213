# expect: NaN (not a number)
def agreement(gradients):
    mean = gradients.mean(dim=0)
    return gradients @ mean / (gradients.norm(dim=1) * mean.norm())
