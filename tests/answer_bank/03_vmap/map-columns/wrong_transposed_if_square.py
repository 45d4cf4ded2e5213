# expect: with a square table the shape does not tell
def map_columns(f, table):
    results = vmap(f, in_dims=1)(table)
    return results if results.shape[0] == results.shape[1] == table.shape[0] else results.T
