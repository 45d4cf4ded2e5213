# expect: How many graphs were captured that way
def quiz():
    return "a", "b", "a"
