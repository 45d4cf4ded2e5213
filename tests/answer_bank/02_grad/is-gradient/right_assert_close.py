def is_gradient(f, claimed, x):
    x = x.double()
    h = 1e-5
    E = torch.eye(x.numel(), dtype=x.dtype).reshape(-1, *x.shape)
    slopes = torch.stack([(f(x + h * e) - f(x - h * e)) / (2 * h) for e in E]).reshape(x.shape)
    got = claimed(x)
    try:
        torch.testing.assert_close(got, slopes, rtol=1e-4, atol=1e-9)
    except AssertionError:
        return False
    return True
