# expect: This is a count
def precision_at(scores, bad, k):
    return bad[scores.topk(k).indices].double().sum().item()
