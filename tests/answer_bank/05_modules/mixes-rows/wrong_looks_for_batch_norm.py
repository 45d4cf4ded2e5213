# expect: A module can mix rows without any buffer
def mixes_rows(model, X):
    return any(isinstance(layer, nn.BatchNorm1d) and layer.training for layer in model.modules())
