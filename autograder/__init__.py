"""The course's Python package: what notebooks import, and what grades them."""
