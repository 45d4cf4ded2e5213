# expect: The length of the mean gradient is missing
def agreement(gradients):
    lengths = gradients.norm(dim=1)
    return gradients @ gradients.mean(dim=0) / torch.where(lengths == 0, 1.0, lengths)
