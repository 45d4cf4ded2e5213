# expect: the gradients of 50 rows are in memory at one time
def measured_rows(loss, measure, params, X, Y, size):
    def of_one_row(params, x_row, target):
        return measure(grad(loss)(params, x_row, target))

    return vmap(of_one_row, in_dims=(None, 0, 0))(params, X, Y)
