# expect: by the number of rows, not by k
def precision_at(scores, bad, k):
    return bad[scores.topk(k).indices].sum().item() / len(bad)
