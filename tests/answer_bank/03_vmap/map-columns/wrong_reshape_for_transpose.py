# expect: .reshape and .view keep the order of the numbers
def map_columns(f, table):
    results = vmap(f, in_dims=1)(table)
    return results.reshape(results.shape[1], results.shape[0])
