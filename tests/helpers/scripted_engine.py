"""A small GTP engine for tests that is honest or misbehaves in one way: python -S scripted_engine.py HOW [ARGUMENT …].

It plays points that nobody has played yet, so many as it is told, then passes. A third argument is the name of a file
where it counts how often it was started; further ones only tell one running engine from another.
"""

import os
import sys
import time

FOREVER = 600.0
HOW = sys.argv[1]
NUMBER = int(sys.argv[2]) if len(sys.argv) > 2 else 0

STARTS = sys.argv[3] if len(sys.argv) > 3 else ""

size = 5
played: list[str] = []
own_moves = 0
undone = 0


def say(text: str) -> None:
    sys.stdout.write(text)
    sys.stdout.flush()


def hangs(command: str) -> bool:
    at_move = HOW == "hang at move" and command == "genmove"
    return HOW == "hang" or at_move or (HOW == "hangs from start" and is_to_fail())


def misbehave(command: str) -> None:
    """What this engine does wrong at a command, if it does."""
    if HOW == "crash" or (HOW == "crash at move" and command == "genmove" and own_moves == NUMBER - 1):
        os._exit(3)
    elif hangs(command):
        time.sleep(FOREVER)
    elif HOW in ("fails at start", "fails from start") and is_to_fail():
        sys.stderr.write(f"start {starts()} fails\n")
        os._exit(3)
    elif HOW == "complains":
        sys.stderr.write("loading the network\nno licence\nplease buy one\n")
        os._exit(3)
    elif HOW == "slow" and command == "genmove":
        time.sleep(NUMBER / 10)
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


def count_start() -> None:
    with open(STARTS, "a") as file:
        file.write("x")


def starts() -> int:
    with open(STARTS) as file:
        return len(file.read())


def is_to_fail() -> bool:
    """Whether this start is the one that fails, or one from there on."""
    return starts() == NUMBER if HOW == "fails at start" else starts() >= NUMBER


def dead() -> str:
    """What it says about dead stones: its argument, if it has an opinion."""
    return "= " + STARTS if HOW in ("buries", "buries once") and not (HOW == "buries once" and undone) else "="


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
    global size, undone
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
    elif words[0] == "final_status_list":
        return dead()
    elif words[0] == "undo":
        undone += 1
        played.pop()
    elif words[0] == "time_left" and HOW == "tells time":
        sys.stderr.write(f"{' '.join(words)}\n")
        sys.stderr.flush()
    elif words[0] == "time_settings" and HOW == "tells time":
        sys.stderr.write(f"{' '.join(words)}\n")
    elif words[0] == "version":
        return "= 7.7"
    elif words[0] not in ("komi", "quit"):
        return "? unknown command"
    return "="


if HOW in ("fails at start", "fails from start", "hangs from start"):
    count_start()
for line in sys.stdin:
    words = line.split()
    number = words.pop(0) if words[0].isdigit() and HOW != "knows no ids" else ""
    misbehave(words[0])
    said = answer(words)
    if HOW != "drops ids":
        said = said[0] + number + said[1:]
    for _ in range(3 if HOW in ("three answers", "three late answers") and words[0] == "genmove" else 1):
        say(said + "\n\n")
        if HOW == "three late answers":
            time.sleep(0.05)
    if words[0] == "quit":
        break
