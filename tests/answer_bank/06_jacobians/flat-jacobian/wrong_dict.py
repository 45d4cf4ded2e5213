# expect: A dict of tables came back
def flat_jacobian(f, params):
    return jacrev(f)(params)
