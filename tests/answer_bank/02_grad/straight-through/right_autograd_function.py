class Hard(torch.autograd.Function):
    @staticmethod
    def forward(ctx, w, hard):
        return hard(w)

    @staticmethod
    def backward(ctx, gradient):
        return gradient, None


def straight_through_gradient(loss, hard, w):
    leaf = w.clone().requires_grad_(True)
    loss(Hard.apply(leaf, hard), leaf).backward()
    return leaf.grad
