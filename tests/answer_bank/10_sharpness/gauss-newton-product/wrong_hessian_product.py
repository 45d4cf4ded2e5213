# expect: with the second derivatives of the network
def gauss_newton_product(f, loss_of_outputs, w, v):
    return jvp(grad(lambda w: loss_of_outputs(f(w))), (w,), (v,))[1]
