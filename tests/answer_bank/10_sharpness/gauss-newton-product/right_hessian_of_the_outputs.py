def gauss_newton_product(f, loss_of_outputs, w, v):
    z, pull = vjp(f, w)
    Hl = hessian(loss_of_outputs)(z)
    return pull(Hl @ jvp(f, (w,), (v,))[1])[0]
