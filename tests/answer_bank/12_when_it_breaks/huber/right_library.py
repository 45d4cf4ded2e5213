def huber(x):
    return torch.nn.functional.huber_loss(x, torch.zeros_like(x))
