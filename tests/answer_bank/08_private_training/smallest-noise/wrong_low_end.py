# expect: costs more than the budget
def smallest_noise(epsilon_of, budget):
    low, high = 0.1, 100.0
    while high - low > 0.001:
        middle = (low + high) / 2
        if epsilon_of(middle) <= budget:
            high = middle
        else:
            low = middle
    return low
