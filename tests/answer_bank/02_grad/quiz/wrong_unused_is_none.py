# expect: That is the answer of torch.autograd.grad. Look at the section Only arguments count
def quiz():
    return "c", "b", "b"
