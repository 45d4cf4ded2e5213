def steepest_curvature(f, x, start, steps):
    _, pull = vjp(grad(f), x)
    v = start
    for _ in range(steps):
        v = torch.nn.functional.normalize(pull(v)[0], dim=0, eps=0)
    return (v * pull(v)[0]).sum()
