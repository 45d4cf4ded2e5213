def quiz():
    return "dbc"
