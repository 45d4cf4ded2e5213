# expect: Expected more than 1 value per channel
import copy


def mixes_rows(model, X):
    batch = copy.deepcopy(model)(X)[0]
    alone = copy.deepcopy(model)(X[:1])[0]
    return bool((batch - alone).abs().max() > 1e-6)
