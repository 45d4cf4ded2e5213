# expect: Compare the two counts of graphs
def quiz():
    return "a", "b", "c"
