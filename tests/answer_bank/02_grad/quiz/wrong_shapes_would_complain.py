# expect: Which shape does the tensor called gradient have here?
def quiz():
    return "a", "a", "b"
