# expect: more than 0.001 too large
def smallest_noise(epsilon_of, budget):
    return 100.0
