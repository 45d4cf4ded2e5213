# expect: raised TypeError
def measured_rows(loss, measure, params, X, Y, size):
    def of_one_row(params, x_row, target):
        return measure(grad(loss)(params, x_row, target))

    return vmap(of_one_row, (None, 0, 0), 0, "error", size)(params, X, Y)
