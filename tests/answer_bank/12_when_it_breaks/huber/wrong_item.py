# expect: calling .item()
def huber(x):
    value = x.item()
    return 0.5 * x**2 if abs(value) <= 1 else x.abs() - 0.5
