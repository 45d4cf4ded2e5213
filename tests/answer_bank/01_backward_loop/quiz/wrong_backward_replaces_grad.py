# expect: Does backward() replace what is in .grad?
def quiz():
    return "a", "d", "a"
