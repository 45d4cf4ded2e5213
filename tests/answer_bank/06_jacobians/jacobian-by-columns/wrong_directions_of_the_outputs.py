# expect: jacobian_by_columns(f, x)
def jacobian_by_columns(f, x):
    m = len(f(x))
    return vmap(lambda v: jvp(f, (x,), (v,))[1], out_dims=1)(torch.eye(m).to(x))
