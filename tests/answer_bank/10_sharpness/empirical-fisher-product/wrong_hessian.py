# expect: This is H v
def empirical_fisher_product(loss, w, X, y, v):
    mean_loss = lambda w: vmap(loss, in_dims=(None, 0, 0))(w, X, y).mean()
    return jvp(grad(mean_loss), (w,), (v,))[1]
