# expect: A constant is added to the product of the lengths
def agreement(gradients):
    mean = gradients.mean(dim=0)
    return gradients @ mean / (gradients.norm(dim=1) * mean.norm() + 1e-8)
