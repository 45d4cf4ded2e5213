"""`python -m autograder`: check the machine first, and only then import what the check vouches for."""

import sys

from autograder import environment


def main() -> None:
    """Run the command line, or say in one line each what keeps it from running."""
    problems = environment.problems()
    if problems:
        sys.exit("\n".join(problems))  # to stderr, status 1

    from autograder.cli import app

    app(prog_name="python -m autograder")


if __name__ == "__main__":
    main()
