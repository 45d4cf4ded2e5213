def agreement(gradients):
    return torch.nn.functional.cosine_similarity(gradients, gradients.mean(dim=0, keepdim=True), dim=1)
