# expect: One call of jacrev takes the whole dict
def flat_jacobian(f, params):
    tables = [jacrev(lambda p, name=name: f({**params, name: p}))(params[name]) for name in params]
    return torch.cat([t.reshape(len(t), -1) for t in tables], dim=1)
