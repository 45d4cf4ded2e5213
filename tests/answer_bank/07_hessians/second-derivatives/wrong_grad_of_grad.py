# expect: scalar
def second_derivatives(f, x):
    return grad(grad(f))(x)
