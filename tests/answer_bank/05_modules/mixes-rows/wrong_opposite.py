# expect: It does not: each row is multiplied with the weights by itself
def mixes_rows(model, X):
    tensors = {n: t.detach().clone() for n, t in [*model.named_parameters(), *model.named_buffers()]}
    others = torch.cat([X[:1], 2 * X[1:] + 1])
    one, two = functional_call(model, tensors, (X,)), functional_call(model, tensors, (others,))
    return bool((one[0] - two[0]).abs().max() < 1e-6)
