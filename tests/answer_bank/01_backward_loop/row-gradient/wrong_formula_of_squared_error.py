# expect: Use the function that is passed in as loss
def row_gradient(loss, w, x_row, target):
    return 2 * (x_row @ w - target) * x_row
