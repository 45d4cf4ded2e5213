# expect: The gradient was taken downhill
def sam_gradient(loss, params, rho):
    g = grad(loss)(params)
    norm = torch.stack([v.norm() for v in g.values()]).norm()
    return grad(loss)({k: params[k] - rho * g[k] / norm for k in params})
