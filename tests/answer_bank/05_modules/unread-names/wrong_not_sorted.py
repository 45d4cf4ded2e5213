# expect: with several wrong names
def unread_names(model, tensors):
    own = list(model.state_dict())
    return [n for n in tensors if n not in own], [n for n in own if n not in tensors][::-1]
