# expect: x came back unrounded
def rounded(x):
    return x
