def trace_estimate(f, x, signs):
    def form(v):
        _, Hv = jvp(grad(f), (x,), (v,))
        return (v * Hv).sum()

    return vmap(form)(signs).mean()
