def smallest_noise(epsilon_of, budget, low=0.1, high=100.0):
    if high - low < 5e-4:
        return high
    middle = (low + high) / 2
    if epsilon_of(middle) > budget:
        return smallest_noise(epsilon_of, budget, middle, high)
    return smallest_noise(epsilon_of, budget, low, middle)
