# expect: An entry names an axis to walk along, not a place on it
def quiz():
    return "b", "b", "d"
