# expect: the row is taken away twice
def leave_one_out(loss, w, X, y):
    table = vmap(grad(loss), in_dims=(None, 0, 0))(w, X, y)
    rows = []
    for i in range(len(table)):
        without = table.clone()
        without[i] = 0
        rows.append((without.sum(dim=0) - table[i]) / (len(table) - 1))
    return torch.stack(rows)
