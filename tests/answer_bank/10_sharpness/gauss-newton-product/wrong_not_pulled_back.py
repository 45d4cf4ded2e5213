# expect: This was not pulled back
def gauss_newton_product(f, loss_of_outputs, w, v):
    z, Jv = jvp(f, (w,), (v,))
    return jvp(grad(loss_of_outputs), (z,), (Jv,))[1]
