def agreement(gradients):
    def unit(v):
        length = (v * v).sum(-1, keepdim=True).sqrt()
        return torch.nan_to_num(v / length)

    return unit(gradients) @ unit(gradients.mean(dim=0))
