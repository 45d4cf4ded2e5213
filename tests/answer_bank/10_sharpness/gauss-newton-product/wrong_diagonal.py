# expect: Only the diagonal of the loss's Hessian
def gauss_newton_product(f, loss_of_outputs, w, v):
    z, Jv = jvp(f, (w,), (v,))
    diagonal = torch.diag(hessian(loss_of_outputs)(z))
    return vjp(f, w)[1](diagonal * Jv)[0]
