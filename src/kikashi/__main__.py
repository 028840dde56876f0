"""``python -m kikashi`` is the command ``kikashi``."""

from kikashi.cli import main

main()
