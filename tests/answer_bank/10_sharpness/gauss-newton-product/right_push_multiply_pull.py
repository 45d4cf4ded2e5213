def gauss_newton_product(f, loss_of_outputs, w, v):
    z, Jv = jvp(f, (w,), (v,))
    _, curved = jvp(grad(loss_of_outputs), (z,), (Jv,))
    _, pull = vjp(f, w)
    return pull(curved)[0]
