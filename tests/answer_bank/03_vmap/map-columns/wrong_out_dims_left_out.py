# expect: The results are right, but they stand in rows
def map_columns(f, table):
    return vmap(f, in_dims=1)(table)
