# expect: each row is multiplied with the weights by itself
def mixes_rows(model, X):
    return model.training
