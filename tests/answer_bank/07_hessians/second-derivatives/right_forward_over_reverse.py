def second_derivatives(f, x):
    return jacfwd(jacrev(f))(x)
