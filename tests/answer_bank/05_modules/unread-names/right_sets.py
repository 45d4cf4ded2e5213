def unread_names(model, tensors):
    own = set(dict(model.named_parameters())) | set(dict(model.named_buffers()))
    given = set(tensors)
    return sorted(given - own), sorted(own - given)
