"""What an instructor wants to know about a class, from the records and the gradebook.

:mod:`results` reads everything once into a few DataFrames. :mod:`statistics`, :mod:`mistakes` and :mod:`similarity`
turn these into others, :mod:`charts` and :mod:`pages` show them, and ``report.ipynb`` says what is shown where. Whoever
wants to know more opens the executed report and calls the same functions.
"""
