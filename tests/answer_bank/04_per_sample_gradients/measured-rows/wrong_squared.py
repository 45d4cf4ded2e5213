# expect: These are the squares of what measure returns
def measured_rows(loss, measure, params, X, Y, size):
    def of_one_row(params, x_row, target):
        return measure(grad(loss)(params, x_row, target)) ** 2

    return vmap(of_one_row, in_dims=(None, 0, 0), chunk_size=size)(params, X, Y)
