# expect: These are the predictions of all members
def predict_with_doubt(models, X):
    with torch.no_grad():
        return torch.stack([model(X) for model in models])
