# expect: raised RuntimeError
def map_columns(f, table):
    return f(table)
