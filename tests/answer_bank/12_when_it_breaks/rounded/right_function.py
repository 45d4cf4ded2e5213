class Round(torch.autograd.Function):
    generate_vmap_rule = True

    @staticmethod
    def forward(x):
        return torch.round(x)

    @staticmethod
    def setup_context(ctx, inputs, output):
        pass

    @staticmethod
    def backward(ctx, cotangent):
        return cotangent

    @staticmethod
    def jvp(ctx, tangent):
        return tangent.clone()


def rounded(x):
    return Round.apply(x)
