# expect: This is the gradient
def second_derivatives(f, x):
    return jacrev(f)(x)
