# expect: Take it at the adapted parameters
def first_order_gradient(loss, params, tasks, rate, steps):
    xs, ys, xq, yq = tasks
    g = vmap(grad(loss), in_dims=(None, 0, 0))(params, xq, yq)
    return {k: v.mean(dim=0) for k, v in g.items()}
