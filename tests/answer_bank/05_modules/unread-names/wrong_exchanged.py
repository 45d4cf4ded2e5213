# expect: The two lists are exchanged
def unread_names(model, tensors):
    own = set(model.state_dict())
    return sorted(own - set(tensors)), sorted(set(tensors) - own)
