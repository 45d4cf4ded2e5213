def smallest_noise(epsilon_of, budget):
    low, high = 0.1, 100.0
    for _ in range(18):
        middle = 0.5 * (low + high)
        low, high = (low, middle) if epsilon_of(middle) <= budget else (middle, high)
    return high
