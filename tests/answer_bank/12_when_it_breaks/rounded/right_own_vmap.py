class Round(torch.autograd.Function):
    @staticmethod
    def forward(x):
        return x.round()

    @staticmethod
    def setup_context(ctx, inputs, output):
        pass

    @staticmethod
    def backward(ctx, cotangent):
        return cotangent

    @staticmethod
    def jvp(ctx, tangent):
        return tangent.clone()

    @staticmethod
    def vmap(info, in_dims, x):
        return Round.apply(x), in_dims[0]


def rounded(x):
    return Round.apply(x)
