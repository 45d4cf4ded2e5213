# expect: This function loses a part of its gradient
def gradient_is_right(f, x):
    return torch.allclose(grad(f)(x), jacfwd(f)(x), rtol=1e-4, atol=1e-4)
