def agreement(gradients):
    mean = gradients.mean(0)
    cosines = []
    for row in gradients:
        product = row.norm() * mean.norm()
        cosines.append(row @ mean / product if product > 0 else torch.zeros((), dtype=row.dtype))
    return torch.stack(cosines)
