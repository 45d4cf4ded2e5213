# expect: this is Jᵀ J v
def gauss_newton_product(f, loss_of_outputs, w, v):
    return vjp(f, w)[1](jvp(f, (w,), (v,))[1])[0]
