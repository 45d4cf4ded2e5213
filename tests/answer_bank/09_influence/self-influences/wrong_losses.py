# expect: self_influences(loss, w, X, y, 0.05)
def self_influences(loss, w, X, y, lam):
    return vmap(loss, in_dims=(None, 0, 0))(w, X, y)
