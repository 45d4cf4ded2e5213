# expect: J, the Jacobian, stood on the way
def gauss_newton_product(f, loss_of_outputs, w, v):
    J = jacrev(f)(w)
    return J.T @ jvp(grad(loss_of_outputs), (f(w),), (J @ v,))[1]
