# expect: loses a part of its gradient
def gradient_is_right(f, x):
    return True
