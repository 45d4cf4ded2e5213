# expect: expected a dict with the keys 'w', 'b'
def gradients_of_both(loss, w, b, X, y):
    r = []
    for a, t in zip(X, y):
        lw, lb = w.clone().requires_grad_(True), b.clone().requires_grad_(True)
        loss(lw, lb, a, t).backward()
        r.append({"w": lw.grad, "b": lb.grad})
    return r
