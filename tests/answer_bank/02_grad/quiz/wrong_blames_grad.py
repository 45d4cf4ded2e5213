# expect: Which of the two is off?
def quiz():
    return "c", "a", "a"
