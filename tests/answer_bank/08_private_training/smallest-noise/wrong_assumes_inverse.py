# expect: smallest_noise(epsilon_of, 1.0)
def smallest_noise(epsilon_of, budget):
    return epsilon_of(1.0) / budget
