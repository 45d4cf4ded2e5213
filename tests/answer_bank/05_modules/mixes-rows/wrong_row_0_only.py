# expect: Does every row take its turn
import copy


def mixes_rows(model, X):
    changed = X.clone()
    changed[1:] = changed[1:].flip(0) * 2 + 5
    one = copy.deepcopy(model)(X)
    two = copy.deepcopy(model)(changed)
    return (one[0] - two[0]).abs().max().item() > 1e-6
