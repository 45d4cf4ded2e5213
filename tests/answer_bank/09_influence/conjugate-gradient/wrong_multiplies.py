# expect: This is A b
def conjugate_gradient(product, b, steps):
    return product(b)
