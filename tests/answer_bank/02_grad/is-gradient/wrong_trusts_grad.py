# expect: Something in f stops the gradient, and grad(f) believes it
def is_gradient(f, claimed, x):
    return torch.allclose(grad(f)(x), claimed(x))
