# expect: this is the gradient
def gauss_newton_product(f, loss_of_outputs, w, v):
    z, Jv = jvp(f, (w,), (v,))
    return vjp(f, w)[1](grad(loss_of_outputs)(z))[0]
