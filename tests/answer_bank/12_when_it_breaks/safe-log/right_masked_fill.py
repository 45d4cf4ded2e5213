def safe_log(x):
    return x.masked_fill(x <= 0, 1).log()
