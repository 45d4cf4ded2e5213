# expect: unread_names(model, tensors) with 2.wieght
def unread_names(model, tensors):
    return sorted(set(tensors) ^ set(model.state_dict()))
