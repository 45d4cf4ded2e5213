# expect: row sums of the Hessian
def second_derivatives(f, x):
    return grad(lambda x: grad(f)(x).sum())(x)
