def flat_jacobian(f, params):
    sizes = [p.numel() for p in params.values()]

    def of_vector(vector):
        parts = vector.split(sizes)
        return f({name: part.reshape(p.shape) for (name, p), part in zip(params.items(), parts)})

    return jacrev(of_vector)(torch.cat([p.flatten() for p in params.values()]))
