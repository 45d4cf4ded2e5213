# expect: Below the line stands the square of the length
def agreement(gradients):
    mean = gradients.mean(dim=0)
    squares = (gradients**2).sum(dim=1) * (mean**2).sum()
    return gradients @ mean / torch.where(squares == 0, 1.0, squares)
