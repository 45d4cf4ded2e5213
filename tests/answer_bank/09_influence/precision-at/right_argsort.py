def precision_at(scores, bad, k):
    order = (-scores).argsort()
    return bad[order][:k].sum().item() / k
