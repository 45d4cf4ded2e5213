# expect: precision_at(scores, bad,
def precision_at(scores, bad, k):
    return bad[:k].double().mean().item()
