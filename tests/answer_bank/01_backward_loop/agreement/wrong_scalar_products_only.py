# expect: These are the scalar products
def agreement(gradients):
    return gradients @ gradients.mean(dim=0)
