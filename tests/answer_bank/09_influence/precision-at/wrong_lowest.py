# expect: These are the k lowest scores
def precision_at(scores, bad, k):
    return bad[scores.argsort()[:k]].double().mean().item()
