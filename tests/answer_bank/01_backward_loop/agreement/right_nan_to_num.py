def agreement(gradients):
    m = gradients.mean(0)
    return (gradients @ m / gradients.norm(dim=1) / m.norm()).nan_to_num(0.0)
