# expect: must have the same dtype
def jacobian_by_columns(f, x):
    return vmap(lambda v: jvp(f, (x.float(),), (v,))[1], out_dims=1)(torch.eye(len(x)))
