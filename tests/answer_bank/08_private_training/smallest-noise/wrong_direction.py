# expect: smallest_noise(epsilon_of, 3.0)
def smallest_noise(epsilon_of, budget):
    low, high = 0.1, 100.0
    while high - low > 0.001:
        middle = (low + high) / 2
        if epsilon_of(middle) <= budget:
            low = middle
        else:
            high = middle
    return high
