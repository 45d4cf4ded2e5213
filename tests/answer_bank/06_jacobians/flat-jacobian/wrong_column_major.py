# expect: The columns of W are in another order
def flat_jacobian(f, params):
    tables = jacrev(f)(params).values()
    return torch.cat(
        [t.movedim(0, -1).reshape(-1, len(t)).T if t.ndim < 3 else t.mT.reshape(len(t), -1) for t in tables], 1
    )
