def damped_product(objective, w, v, damping):
    _, Hv = jvp(grad(objective), (w,), (v,))
    return Hv + damping * v
