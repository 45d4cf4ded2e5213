# expect: that is the derivative of rounding
def rounded(x):
    return x.round()
