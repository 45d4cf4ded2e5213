def tangent(f, a):
    value, slope = torch.func.jvp(f, (a,), (torch.ones_like(a),))
    return lambda x: torch.addcmul(value, slope, x - a)
