# expect: Every row moves the mean
def sum_trick_is_right(g, X):
    return True
