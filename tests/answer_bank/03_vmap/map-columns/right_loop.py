def map_columns(f, table):
    return torch.stack([f(table[:, i]) for i in range(table.shape[1])], dim=1)
