# expect: A constant is added to the lengths
def agreement(gradients):
    mean = gradients.mean(dim=0)
    return gradients @ mean / ((gradients.norm(dim=1) + 1e-8) * (mean.norm() + 1e-8))
