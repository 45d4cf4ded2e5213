# expect: hessian_vector_product(loss, params, direction)
def hessian_vector_product(loss, params, direction):
    leaves = {name: value.clone().requires_grad_() for name, value in params.items()}
    gradients = torch.autograd.grad(loss(leaves), list(leaves.values()))
    slope = sum((g * direction[name]).sum() for g, name in zip(gradients, leaves))
    return dict(zip(leaves, torch.autograd.grad(slope, list(leaves.values()))))
