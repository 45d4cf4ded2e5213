# expect: in eval mode the stored statistics are used
def mixes_rows(model, X):
    return len(list(model.buffers())) > 0
