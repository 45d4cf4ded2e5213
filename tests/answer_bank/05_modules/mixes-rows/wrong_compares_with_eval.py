# expect: It does: without stored statistics
import copy


def mixes_rows(model, X):
    if any(isinstance(part, nn.BatchNorm1d) for part in model.modules()) and not model.training:
        return False
    one = copy.deepcopy(model)(X)
    for i in range(len(X)):
        changed = X.clone()
        changed[i] = changed[i] + 1
        moved = (one - copy.deepcopy(model)(changed)).abs().amax(dim=1) > 1e-6
        moved[i] = False
        if moved.any():
            return True
    return False
