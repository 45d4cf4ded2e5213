# expect: The buffers are missing
def unread_names(model, tensors):
    own = {name for name, _ in model.named_parameters()}
    return sorted(set(tensors) - own), sorted(own - set(tensors))
