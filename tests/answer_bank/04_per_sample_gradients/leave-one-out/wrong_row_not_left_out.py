# expect: Row i is still in it
def leave_one_out(loss, w, X, y):
    def mean_loss(w, x_row, target):
        return vmap(loss, in_dims=(None, 0, 0))(w, X, y).mean()

    return vmap(grad(mean_loss), in_dims=(None, 0, 0))(w, X, y)
