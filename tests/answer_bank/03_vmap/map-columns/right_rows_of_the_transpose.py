def map_columns(f, table):
    return vmap(f)(table.T).T
