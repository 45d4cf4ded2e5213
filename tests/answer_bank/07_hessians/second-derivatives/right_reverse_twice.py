def second_derivatives(f, x):
    return jacrev(grad(f))(x)
