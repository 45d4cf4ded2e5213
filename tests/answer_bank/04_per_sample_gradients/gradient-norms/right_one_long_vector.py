def gradient_norms(loss, params, X, Y):
    rows = []
    for x_row, target in zip(X, Y):
        leaves = {name: tensor.detach().clone().requires_grad_(True) for name, tensor in params.items()}
        parts = torch.autograd.grad(loss(leaves, x_row, target), list(leaves.values()))
        rows.append(torch.cat([part.reshape(-1) for part in parts]))
    return torch.linalg.vector_norm(torch.stack(rows), dim=1)
