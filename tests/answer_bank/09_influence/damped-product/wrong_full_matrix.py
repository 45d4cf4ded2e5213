# expect: δI has it on the diagonal alone
def damped_product(objective, w, v, damping):
    return (hessian(objective)(w) + damping) @ v
