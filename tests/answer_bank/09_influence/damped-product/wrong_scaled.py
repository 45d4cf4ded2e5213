# expect: This is (1 + δ) H v
def damped_product(objective, w, v, damping):
    return (1 + damping) * jvp(grad(objective), (w,), (v,))[1]
