# expect: Each entry was clamped
def clip_rows(gradients, C):
    return {name: g.clamp(-C, C) for name, g in gradients.items()}
