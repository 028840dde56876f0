"""A small GTP engine for tests that is honest or misbehaves in one way: python -S scripted_engine.py HOW [ARGUMENT …].

It plays points that nobody has played yet, so many as it is told, then passes. Further arguments only tell one
running engine from another.
"""

import os
import sys
import time

FOREVER = 600.0
HOW = sys.argv[1]
NUMBER = int(sys.argv[2]) if len(sys.argv) > 2 else 0

size = 5
played: list[str] = []
own_moves = 0


def say(text: str) -> None:
    sys.stdout.write(text)
    sys.stdout.flush()


def misbehave(command: str) -> None:
    """What this engine does wrong at a command, if it does."""
    if HOW == "crash" or (HOW == "crash at move" and command == "genmove" and own_moves == NUMBER - 1):
        os._exit(3)
    elif HOW == "hang" or (HOW == "hang at move" and command == "genmove"):
        time.sleep(FOREVER)
    elif HOW == "close pipes":
        os.close(1)
        os.close(0)
        time.sleep(FOREVER)
    elif HOW == "close output" and command == "genmove":
        os.close(1)
        time.sleep(FOREVER)
    elif HOW == "garbage":
        say("Hello, I am an engine.\nWhat shall we play?\n\n")
    elif HOW == "bytes":
        os.write(1, bytes(range(255, -1, -1)) + b"\n\n")
    elif HOW == "endless line":
        while True:
            say("x" * 4096)
    elif HOW == "endless lines":
        while True:
            say("= E5\n" * 1000)
    elif HOW == "empty lines":
        while True:
            say("\n" * 4096)
    elif HOW == "late at quit" and command == "quit":
        time.sleep(FOREVER)


def choose() -> str:
    global own_moves
    own_moves += 1
    if HOW == "off the board":
        return "Z99"
    if HOW == "no move":
        return "somewhere nice"
    if HOW == "nothing":
        return ""
    if HOW == "occupied" and played:
        return played[0]
    if HOW == "resign":
        return "resign"
    if own_moves > NUMBER:
        return "pass"
    points = ["ABCDEFGHJKLMNOPQRST"[x] + str(y + 1) for y in range(size) for x in range(size)]
    return next((point for point in points if point not in played), "pass")


def answer(words: list[str]) -> str:
    global size
    if words[0] == "boardsize":
        size = int(words[1])
    elif words[0] == "clear_board":
        played.clear()
    elif words[0] == "play":
        if HOW == "contradicts":
            return "? I do not believe it"
        played.append(words[2].upper())
    elif words[0] == "genmove":
        if HOW == "refuses":
            return "? I do not want to"
        played.append(choose().upper())
        return f"= {played[-1]}"
    elif words[0] not in ("komi", "quit"):
        return "? unknown command"
    return "="


for line in sys.stdin:
    words = line.split()
    misbehave(words[0])
    say(answer(words) + "\n\n")
    if words[0] == "quit":
        break
