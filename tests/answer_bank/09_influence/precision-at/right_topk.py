def precision_at(scores, bad, k):
    return bad[torch.topk(scores, k)[1]].float().mean()
