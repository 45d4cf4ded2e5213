# expect: The damping is missing
def damped_product(objective, w, v, damping):
    return jvp(grad(objective), (w,), (v,))[1]
