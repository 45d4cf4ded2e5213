def gauss_newton_product(f, loss_of_outputs, w, v):
    z, pull = vjp(f, w)
    _, curve = vjp(grad(loss_of_outputs), z)
    return pull(curve(jvp(f, (w,), (v,))[1])[0])[0]
