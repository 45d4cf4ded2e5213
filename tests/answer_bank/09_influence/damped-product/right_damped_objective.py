def damped_product(objective, w, v, damping):
    return grad(lambda u: grad(objective)(u) @ v)(w) + damping * v
