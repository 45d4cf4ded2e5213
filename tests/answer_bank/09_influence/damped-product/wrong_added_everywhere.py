# expect: The damping was added to every entry
def damped_product(objective, w, v, damping):
    return jvp(grad(objective), (w,), (v,))[1] + damping
