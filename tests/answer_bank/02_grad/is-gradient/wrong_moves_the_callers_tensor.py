# expect: changed its argument x
def is_gradient(f, claimed, x):
    answer, slopes = claimed(x), torch.zeros_like(x)
    for i in range(x.numel()):
        x.view(-1)[i] += 1e-5
        right = f(x)
        x.view(-1)[i] -= 3e-5
        slopes.view(-1)[i] = (right - f(x)) / 3e-5
    return torch.allclose(answer, slopes, rtol=1e-3)
