"""Protocols of other programs: GTP, with commands of your own, and KataGo's JSON.

>>> from kikashi import Player
>>> from kikashi.protocols import Arguments, GtpSession, answers, command
>>> @command("my-stones COLOR")
... def stones(session: GtpSession, arguments: Arguments) -> str:
...     return str(len(session.game.stones(arguments.color())))
>>> session = GtpSession(Player("mogo-2006"), size=5)
>>> "".join(answers(session, "1 my-stones black"))
'=1 0\\n\\n'
"""

import lazy_loader

# The public names are in the stub beside this file; each is imported when it is first used.
__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
