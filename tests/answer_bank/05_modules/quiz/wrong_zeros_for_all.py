# expect: The name bias is spelt right
def quiz():
    return "c", "a", "c"
