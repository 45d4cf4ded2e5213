# expect: entry ['b']: 4 of 5 values are wrong
def gradients_of_both(loss, w, b, X, y):
    gw, gb = [], []
    lb = b.clone().requires_grad_(True)
    for a, t in zip(X, y):
        lw = w.clone().requires_grad_(True)
        loss(lw, lb, a, t).backward()
        gw.append(lw.grad)
        gb.append(lb.grad.clone())
    return {"w": torch.stack(gw), "b": torch.stack(gb)}
