# expect: vmap asks you to choose
def bootstrap(statistic, x, T, generator):
    def one(_):
        return statistic(x[torch.randint(len(x), (len(x),))])

    return vmap(one)(torch.zeros(T))
