# expect: The function was applied to the rows. Which axis
def map_columns(f, table):
    return vmap(f, in_dims=0)(table)
