# expect: still attached to a graph
def tangent(f, a):
    leaf = a.clone().requires_grad_(True)
    value = f(leaf)
    (slope,) = torch.autograd.grad(value, leaf, create_graph=True)
    return lambda x: value + slope * (x - leaf)
