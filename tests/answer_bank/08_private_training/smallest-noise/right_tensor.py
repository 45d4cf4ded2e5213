def smallest_noise(epsilon_of, budget):
    low, high = torch.tensor(0.1, dtype=torch.float64), torch.tensor(100.0, dtype=torch.float64)
    while high - low > 1e-3:
        middle = (low + high) / 2
        if epsilon_of(middle.item()) <= budget:
            high = middle
        else:
            low = middle
    return high
