# expect: The square was used everywhere
def huber(x):
    return 0.5 * x**2
