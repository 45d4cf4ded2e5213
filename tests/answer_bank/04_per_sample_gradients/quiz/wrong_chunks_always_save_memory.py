# expect: Compare the first two lines of that output
def quiz():
    return "c", "b", "a"
