# expect: that is the derivative of rounding
def rounded(x):
    with torch.no_grad():
        whole = x.round()
    return whole + 0 * x
