"""An agent of kind `command` that plays a scenario: `python scripted_agent.py SCENARIO.json < PROMPT`.

The scenario (scenarios.py writes it) has, for each task, the turns that the agent takes one after the other; the last one is
repeated. How many were taken is kept in its folder `state`, with every call as it came.
"""

from __future__ import annotations

import base64
import fcntl
import json
import os
import re
import signal
import sys
import time
from pathlib import Path
from typing import Any

NAMED = re.compile(r"plan[ _]task\W{1,8}(TASK-\d{3})\b", re.IGNORECASE)
MENTIONED = re.compile(r"\b(TASK-\d{3})\b(?!-C)")
REQUIREMENT = re.compile(r"\bREQ-\d{3}\b")
MARKS = ("SESSION", "TASK", "ROLE", "KIND", "ROUND", "PERSPECTIVE", "RUN", "CALL")


def main(words: list[str]) -> int:
    scenario = json.loads(Path(words[0]).read_text(encoding="utf-8"))
    prompt = sys.stdin.read()
    marks = {name.lower(): os.environ.get(f"LIFECYCLE_{name}", "") for name in MARKS}
    key, turns = _turns(scenario, marks, prompt)
    taken = _note(Path(scenario["state"]), {**marks, "key": key, "cwd": str(Path.cwd()), "prompt": prompt})
    if not turns:
        print(f"the scenario has no turn for {marks['task']} ({marks['kind']}, {key})", file=sys.stderr)
        return 3
    return _play(turns[min(taken, len(turns) - 1)], scenario, prompt)


def _turns(scenario: dict[str, Any], marks: dict[str, str], prompt: str) -> tuple[str, list[dict[str, Any]]]:
    """The key of what is asked, and its turns: by the task, the kind, the role, then the plan task in the prompt."""
    turns = scenario["turns"]
    planned = NAMED.search(prompt) or MENTIONED.search(prompt)
    for key in (marks["task"], marks["kind"], marks["role"], planned and planned[1], "*"):
        if key and key in turns:
            return key, turns[key]
    return marks["task"], []


def _note(state: Path, call: dict[str, Any]) -> int:
    """How often its key was asked for before; writes the call down."""
    state.mkdir(parents=True, exist_ok=True)
    with (state / "calls.jsonl").open("a+", encoding="utf-8") as calls:
        fcntl.flock(calls, fcntl.LOCK_EX)
        calls.seek(0)
        before = [json.loads(line)["key"] for line in calls].count(call["key"])
        calls.write(json.dumps({**call, "turn": before}) + "\n")
    return before


def _play(turn: dict[str, Any], scenario: dict[str, Any], prompt: str) -> int:
    if turn.get("die") == "before":
        _die()
    _edit(turn)
    if (cheat := turn.get("cheat")) is not None:
        _cheat(cheat, turn.get("arguments", {}))
    if (mark := turn.get("mark")) is not None:  # a test waits for it
        Path(mark).touch()
    if turn.get("never_ends"):
        while True:
            signal.pause()
    if (go := turn.get("until")) is not None:
        while not Path(go).exists():
            time.sleep(0.02)
    time.sleep(turn.get("seconds", 0.0))  # as one that thinks
    if turn.get("die") == "after":
        _die()
    answer = fitted(turn["answer"], prompt) if turn.get("fit_refs") else turn.get("answer")
    sys.stdout.write(turn["raw"] if "raw" in turn else json.dumps(answer))
    return int(turn.get("exit", 0))


def _edit(turn: dict[str, Any]) -> None:
    """Apply the edits in order; an agent that dies half way does so in the middle of the one in the middle."""
    edits = turn.get("edits", [])
    half = len(edits) // 2 if turn.get("die") == "half" else None
    for number, edit in enumerate(edits):
        path = Path(edit["path"])
        if number == half:
            path.parent.mkdir(parents=True, exist_ok=True)
            body = base64.b64decode(edit.get("body") or "")
            path.write_bytes(body[: len(body) // 2])
            _die()
        if edit["action"] == "delete":
            path.unlink(missing_ok=True)
        elif edit["action"] == "replace":
            _replace(path, edit["blocks"])
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(base64.b64decode(edit["body"]))
    if half is not None:
        _die()


def _replace(path: Path, blocks: list[list[str]]) -> None:
    text = path.read_text(encoding="utf-8")
    for old, new in blocks:
        if text.count(old) != 1:
            if new in text:  # it did so in the turn before
                continue
            raise SystemExit(f"{path}: {old!r} occurs {text.count(old)} times")
        text = text.replace(old, new)
    path.write_text(text, encoding="utf-8", newline="")


def _cheat(name: str, arguments: dict[str, Any]) -> None:
    sys.path.insert(0, str(Path(__file__).parents[2]))
    from tests.work.cheats import CHEATS, Place

    CHEATS[name].do(Place.from_json(Path.cwd(), arguments))


def _die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def fitted(plan: dict[str, Any], prompt: str) -> dict[str, Any]:
    """The plan with references to requirements that the prompt names; those that nothing cites go to the first task."""
    known = sorted(set(REQUIREMENT.findall(prompt)))
    text = json.dumps(plan)
    for cited in set(REQUIREMENT.findall(text)) - set(known):
        text = re.sub(rf'"{cited}"(, )?', "", text).replace(", ]", "]")
    fitting: dict[str, Any] = json.loads(text)
    cited_now = set(REQUIREMENT.findall(text))
    fitting["tasks"][0]["refs"] += [each for each in known if each not in cited_now]
    return fitting


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
