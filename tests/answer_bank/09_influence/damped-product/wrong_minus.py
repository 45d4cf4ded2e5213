# expect: The damping was taken away
def damped_product(objective, w, v, damping):
    return jvp(grad(objective), (w,), (v,))[1] - damping * v
