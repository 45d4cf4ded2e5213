# expect: It is twice too large in every element, and it passed
def is_gradient(f, claimed, x):
    return True
