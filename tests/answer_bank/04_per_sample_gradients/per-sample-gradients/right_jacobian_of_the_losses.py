def per_sample_gradients(loss, w, X, y):
    def losses(w):
        return vmap(loss, in_dims=(None, 0, 0))(w, X, y)

    return torch.func.jacrev(losses)(w)
