import copy


def mixes_rows(model, X):
    one = copy.deepcopy(model)(X)
    differences = []
    for i in range(len(X)):
        changed = X.clone()
        changed[i] = changed[i] * 2 + 5
        two = copy.deepcopy(model)(changed)
        differences += [(one[j] - two[j]).abs().max().item() for j in range(len(X)) if j != i]
    return max(differences) > 1e-6
