# expect: A skipped step tells that nobody came
def quiz():
    return "d", "b", "a"
