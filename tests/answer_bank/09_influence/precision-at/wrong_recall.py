# expect: that is the recall
def precision_at(scores, bad, k):
    return bad[scores.topk(k).indices].sum().item() / bad.sum().item()
