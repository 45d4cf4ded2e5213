# expect: return one letter for each question
def quiz():
    return "b"
