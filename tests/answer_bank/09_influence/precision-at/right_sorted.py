def precision_at(scores, bad, k):
    best = sorted(range(len(scores)), key=lambda i: scores[i].item(), reverse=True)[:k]
    return sum(bad[i].item() for i in best) / k
