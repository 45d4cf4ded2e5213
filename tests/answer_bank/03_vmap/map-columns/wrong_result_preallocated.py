# expect: dtype float64, expected float32
def map_columns(f, table):
    results = torch.zeros(len(f(table[:, 0])), table.shape[1], dtype=torch.float64)
    for i in range(table.shape[1]):
        results[:, i] = f(table[:, i])
    return results
