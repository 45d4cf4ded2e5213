def agreement(gradients):
    mean = gradients.mean(dim=0, keepdim=True)
    below = gradients.norm(dim=1) * mean.norm()
    above = (gradients * mean).sum(dim=1)
    return torch.where(below > 0, above / below, torch.zeros_like(below))
