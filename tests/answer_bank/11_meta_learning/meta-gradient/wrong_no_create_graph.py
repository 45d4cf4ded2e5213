# expect: this is first-order MAML
def meta_gradient(loss, params, tasks, rate, steps):
    def of_all(params):
        losses = []
        for xs, ys, xq, yq in zip(*tasks):
            current = params
            for _ in range(steps):
                values = torch.autograd.grad(loss(current, xs, ys), list(current.values()))
                current = {k: current[k] - rate * g for k, g in zip(current, values)}
            losses.append(loss(current, xq, yq))
        return torch.stack(losses).mean()

    return grad_and_value(of_all)(params)
