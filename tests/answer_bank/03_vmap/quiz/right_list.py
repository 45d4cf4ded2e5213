def quiz():
    letters = {1: "b", 2: "c", 3: "a"}
    return [letters[number] for number in (1, 2, 3)]
