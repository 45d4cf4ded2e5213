# expect: as large as the whole matrix
def gauss_newton_product(f, loss_of_outputs, w, v):
    J = jacrev(f)(w)
    G = J.T @ hessian(loss_of_outputs)(f(w)) @ J
    return G @ v
