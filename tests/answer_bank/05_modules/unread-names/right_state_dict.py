def unread_names(model, tensors):
    own = model.state_dict()
    unread = [name for name in tensors if name not in own]
    left_out = [name for name in own if name not in tensors]
    unread.sort()
    left_out.sort()
    return unread, left_out
