# expect: δ v, not δ w
def damped_product(objective, w, v, damping):
    return jvp(grad(objective), (w,), (v,))[1] + damping * w
