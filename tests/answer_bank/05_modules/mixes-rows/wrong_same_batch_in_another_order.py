# expect: In which two companies did you look at a row?
import copy


def mixes_rows(model, X):
    one = copy.deepcopy(model)(X)
    two = copy.deepcopy(model)(torch.cat([X[:1], X[1:].flip(0)]))
    return bool((one[0] - two[0]).abs().max() > 1e-6)
