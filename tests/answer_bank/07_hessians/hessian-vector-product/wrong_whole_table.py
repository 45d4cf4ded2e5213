# expect: a tensor as large as the whole table
def hessian_vector_product(loss, params, direction):
    from torch.func import hessian

    blocks = hessian(loss)(params)
    result = {}
    for row in params:
        total = 0
        for column in params:
            block = blocks[row][column]
            total = total + block.flatten(params[row].dim()) @ direction[column].flatten()
        result[row] = total
    return result
