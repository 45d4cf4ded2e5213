# expect: torch.stack makes one tensor
def map_columns(f, table):
    return [f(column) for column in table.T]
