def gradient_is_right(f, x):
    leaf = x.clone().requires_grad_()
    f(leaf).backward()
    h = 1e-6
    quotients = torch.tensor([(f(x + h * e) - f(x - h * e)).item() / (2 * h) for e in torch.eye(len(x)).double()])
    return bool(((leaf.grad - quotients).abs() <= 1e-4 * (1 + quotients.abs())).all())
