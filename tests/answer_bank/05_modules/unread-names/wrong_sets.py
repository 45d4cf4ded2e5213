# expect: unread_names(model, tensors) with 2.wieght
def unread_names(model, tensors):
    own = set(model.state_dict())
    return set(tensors) - own, own - set(tensors)
