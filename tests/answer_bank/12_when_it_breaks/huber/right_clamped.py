def huber(x):
    near = x.abs().clamp(max=1)
    return 0.5 * near**2 + (x.abs() - near)
