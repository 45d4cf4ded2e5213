# expect: Only the unread names came back
def unread_names(model, tensors):
    return sorted(set(tensors) - set(model.state_dict()))
