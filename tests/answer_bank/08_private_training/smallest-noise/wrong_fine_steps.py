# expect: 25 calls are enough
def smallest_noise(epsilon_of, budget):
    sigma = 0.1
    while epsilon_of(sigma) > budget:
        sigma += 0.001
    return sigma
