# expect: dtype float64, expected float32
def agreement(gradients):
    out = []
    m = gradients.mean(0)
    for g in gradients:
        n = (g.norm() * m.norm()).item()
        out.append((g @ m).item() / n if n else 0.0)
    return torch.tensor(out, dtype=torch.float64)
