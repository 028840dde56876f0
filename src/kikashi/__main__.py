"""``python -m kikashi`` is the command ``kikashi``."""

from kikashi.cli import main

if __name__ == "__main__":  # worker ranks of MPI import this file too
    main()
