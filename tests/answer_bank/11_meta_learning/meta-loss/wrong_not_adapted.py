# expect: It was not adapted
def meta_loss(loss, params, tasks, rate, steps):
    xs, ys, xq, yq = tasks
    return vmap(loss, in_dims=(None, 0, 0))(params, xq, yq).mean()
