def straight_through_gradient(loss, hard, w):
    through_q, directly = grad(loss, argnums=(0, 1))(hard(w), w)
    return through_q + directly
