# expect: second_derivatives(f, x)
def second_derivatives(f, x):
    return jacrev(lambda x: grad(f)(x.detach()))(x)
