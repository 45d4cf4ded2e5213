def trace_estimate(f, x, signs):
    _, pull = vjp(grad(f), x)
    (products,) = vmap(pull)(signs)
    return (products * signs).sum() / len(signs)
