# expect: It belongs at the outputs
def gauss_newton_product(f, loss_of_outputs, w, v):
    Jv = jvp(f, (w,), (v,))[1]
    curved = jvp(grad(loss_of_outputs), (Jv,), (Jv,))[1]
    return vjp(f, w)[1](curved)[0]
