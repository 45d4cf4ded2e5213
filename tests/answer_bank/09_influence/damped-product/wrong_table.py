# expect: a tensor as large as H
def damped_product(objective, w, v, damping):
    return (hessian(objective)(w) + damping * torch.eye(len(w), dtype=w.dtype)) @ v
