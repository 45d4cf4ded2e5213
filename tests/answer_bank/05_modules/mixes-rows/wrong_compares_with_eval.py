# expect: It does: without stored statistics
import copy


def mixes_rows(model, X):
    if not model.training:
        return False
    one = copy.deepcopy(model)(X)
    two = copy.deepcopy(model)(torch.cat([X[:1], X[1:] + 1]))
    return bool((one[0] - two[0]).abs().max() > 1e-6)
