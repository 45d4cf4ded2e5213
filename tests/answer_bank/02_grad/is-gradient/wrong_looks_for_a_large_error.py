# expect: NaN passed. Each comparison with NaN is False
def is_gradient(f, claimed, x):
    x, h = x.double(), 1e-5
    answer = claimed(x).flatten().tolist()
    for i in range(x.numel()):
        right, left = x.clone(), x.clone()
        right.view(-1)[i] += h
        left.view(-1)[i] -= h
        slope = (f(right).item() - f(left).item()) / (2 * h)
        if abs(slope - answer[i]) > 1e-3 * abs(slope):
            return False
    return True
