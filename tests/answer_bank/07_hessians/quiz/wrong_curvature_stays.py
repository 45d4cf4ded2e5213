# expect: The Hessian is linear in the loss
def quiz():
    return "a", "c", "c"
