# expect: This is J v, in the outputs
def gauss_newton_product(f, loss_of_outputs, w, v):
    return jvp(f, (w,), (v,))[1]
