def sam_gradient(loss, params, rho):
    def gradient_at(point):
        leaves = {k: v.clone().requires_grad_() for k, v in point.items()}
        return dict(zip(leaves, torch.autograd.grad(loss(leaves), list(leaves.values()))))

    g = gradient_at(params)
    length = torch.cat([v.flatten() for v in g.values()]).norm()
    return gradient_at({k: params[k] + rho * g[k] / length for k in params})
