# expect: with another loss
def per_sample_gradients(loss, w, X, y):
    return torch.autograd.functional.jacobian(lambda w: loss(w, X, y), w)
