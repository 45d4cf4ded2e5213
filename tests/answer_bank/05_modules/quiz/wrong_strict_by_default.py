# expect: That is what strict=True would give
def quiz():
    return "a", "a", "c"
