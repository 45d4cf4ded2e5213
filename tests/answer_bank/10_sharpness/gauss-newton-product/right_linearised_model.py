def gauss_newton_product(f, loss_of_outputs, w, v):
    z, pull = vjp(f, w)
    Jv = jvp(f, (w,), (v,))[1]
    curved = grad(lambda z: grad(loss_of_outputs)(z) @ Jv)(z)
    (result,) = pull(curved)
    return result
