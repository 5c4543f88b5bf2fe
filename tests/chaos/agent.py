"""A `command` agent that can be caught: `agent.py PROBE SEED`. It answers quickly, and now and then is up to something.

It writes its start and stop with CLOCK_MONOTONIC to PROBE/log, and holds a lock in PROBE/locks as long as any process of
it lives: the kernel lets go of it at death, however that comes. So each agent can see at its start whether an agent of
another attempt at its task is still alive, and says so.
"""

from __future__ import annotations

import fcntl
import json
import os
import random
import sys
import time

DOCUMENTS: dict[str, dict[str, object]] = {
    "discovery": {
        "title": "Museum catalogue",
        "problem_statement": "Nobody finds an object in the depot.",
        "domain": "museums",
        "requirements": [
            {"text": "The catalogue must show where an object lies", "kind": "functional", "moscow": "Must"}
        ],
        "target_users": [{"name": "Curators", "needs": ["find objects"], "source": "stated"}],
    },
    "brief": {
        "title": "Museum catalogue",
        "vision": {"text": "Every object is found", "source": "proposed", "reason": "nobody said so yet"},
        "situation": "Cards in drawers.",
    },
}


def main(probe: str, seed: str) -> int:
    session, task, run = (os.environ[f"LIFECYCLE_{name}"] for name in ("SESSION", "TASK", "RUN"))
    kind = os.environ["LIFECYCLE_KIND"]
    who = os.environ["LIFECYCLE_PERSPECTIVE"] or kind
    log = os.open(f"{probe}/log", os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    about = {"session": session, "task": task, "run": run, "pid": os.getpid(), "who": who}
    met = meet(f"{probe}/locks", f"{session}.{task}.", run)
    note(log, about, "start", met=met)
    sys.stdin.read()
    dice = random.Random(f"{seed} {session} {task} {who}")
    time.sleep(dice.uniform(0.0, 0.1))
    mood = dice.random()
    if mood < 0.08:
        note(log, about, "stop")
        return 1  # not in the mood
    if mood < 0.25:
        time.sleep(dice.uniform(0.5, 3.0))
    elif mood < 0.37 and os.fork() == 0:
        os.setsid()
        time.sleep(300)  # a child that outlives us, if it is let
    if kind == "critique":
        answer: dict[str, object] = critique(dice)
    elif kind in DOCUMENTS:
        answer = dict(DOCUMENTS[kind])
    else:
        note(log, about, "stop")
        return 1  # the built-in agent writes the others
    os.write(1, json.dumps(answer).encode())
    note(log, about, "stop")
    return 0


def meet(folder: str, task: str, run: str) -> list[str]:
    """Hold our own lock till death; the other runs of this task of which a process is alive now."""
    mine = os.open(f"{folder}/{task}{run}", os.O_RDWR | os.O_CREAT, 0o600)
    fcntl.flock(mine, fcntl.LOCK_SH)
    met = []
    for name in os.listdir(folder):  # noqa: PTH208 - pathlib takes longer to import than we live
        if not name.startswith(task) or name == task + run:
            continue
        other = os.open(f"{folder}/{name}", os.O_RDWR)
        try:
            fcntl.flock(other, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            met.append(name[len(task) :])
        finally:
            os.close(other)
    return met


def note(log: int, about: dict[str, object], what: str, **more: object) -> None:
    """One line, in one write: it comes whole or not at all."""
    line = {"at": time.clock_gettime(time.CLOCK_MONOTONIC), "what": what, **about, **more}
    os.write(log, json.dumps(line).encode() + b"\n")


def critique(dice: random.Random) -> dict[str, object]:
    answer: dict[str, object] = {
        "rating": dice.choice([3, 4, 4, 4, 5, 5]),
        "strengths": ["it holds together"],
        "suggestions": ["say who may change it"],
    }
    if dice.random() < 0.03:
        answer |= {"rating": 2, "weaknesses": [{"text": "it cannot be built so", "severity": "critical"}]}
    return answer


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
