# expect: GroupNorm is a layer with weights of its own
def quiz():
    return "b", "b", "c"
