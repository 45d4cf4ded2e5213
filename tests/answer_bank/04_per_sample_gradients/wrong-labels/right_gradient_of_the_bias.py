def wrong_labels(loss, params, X, labels, count):
    leaves = {name: tensor.clone().requires_grad_(True) for name, tensor in params.items()}
    optimizer = torch.optim.SGD(leaves.values(), lr=0.3)
    for _ in range(50):
        optimizer.zero_grad()
        vmap(loss, in_dims=(None, 0, 0))(leaves, X, labels).mean().backward()
        optimizer.step()
    fitted = {name: leaf.detach() for name, leaf in leaves.items()}
    lengths = vmap(grad(loss), in_dims=(None, 0, 0))(fitted, X, labels)["b"].norm(dim=1)
    return lengths.topk(count).indices.sort().values
