# expect: The function was applied to the rows, and the results stand in columns
def map_columns(f, table):
    return vmap(f, in_dims=0, out_dims=1)(table)
