def map_columns(f, table):
    return vmap(f, in_dims=-1, out_dims=-1)(table)
