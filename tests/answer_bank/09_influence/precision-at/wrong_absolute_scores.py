# expect: precision_at(scores, bad,
def precision_at(scores, bad, k):
    return bad[scores.abs().topk(k).indices].double().mean().item()
