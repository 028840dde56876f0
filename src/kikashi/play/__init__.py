"""A person against a player, at a prompt. Reading order: prompt, record, view, count, table."""

from kikashi.play.prompt import Ask, asker, complete_with
from kikashi.play.record import FILE
from kikashi.play.table import HELP, Table, new_game

__all__ = ["FILE", "HELP", "Ask", "Table", "asker", "complete_with", "new_game"]
