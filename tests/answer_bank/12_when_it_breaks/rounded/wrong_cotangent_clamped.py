# expect: gradient of the sum of weights * rounded(x)²
class Round(torch.autograd.Function):
    generate_vmap_rule = True

    @staticmethod
    def forward(x):
        return x.round()

    @staticmethod
    def setup_context(ctx, inputs, output):
        pass

    @staticmethod
    def backward(ctx, cotangent):
        return cotangent.clamp(-10, 10)

    @staticmethod
    def jvp(ctx, tangent):
        return tangent.clone()


def rounded(x):
    return Round.apply(x)
