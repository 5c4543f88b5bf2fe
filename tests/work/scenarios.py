"""What a scripted agent does, as values: a turn an answer, and the file from which `scripted_agent.py` plays them."""

from __future__ import annotations

import base64
import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.work.repositories import Edit, Fixture, Patch

AGENT = Path(__file__).parent / "scripted_agent.py"


@dataclass(frozen=True, slots=True)
class Turn:
    """One answer, and what is done before it in the current folder, in the order of the fields."""

    patch: Patch = field(default_factory=dict)
    cheat: str | None = None  # a name of cheats.CHEATS
    arguments: Mapping[str, Any] = field(default_factory=dict)  # Place.as_json
    mark: Path | None = None  # a file that says that it has come so far
    never_ends: bool = False
    until: Path | None = None  # waits for this file
    seconds: float = 0.0  # thinks
    die: str | None = None  # before, half (of the edits), after: by SIGKILL
    answer: Any = None
    fit_refs: bool = False  # of a plan: cite the requirements that the prompt names
    raw: str | None = None  # printed instead of the answer
    exit: int = 0

    def as_json(self) -> dict[str, Any]:
        given: dict[str, Any] = {
            "edits": [_edit(path, change) for path, change in self.patch.items()],
            "cheat": self.cheat,
            "arguments": dict(self.arguments),
            "mark": self.mark and str(self.mark),
            "never_ends": self.never_ends,
            "until": self.until and str(self.until),
            "seconds": self.seconds,
            "die": self.die,
            "answer": self.answer,
            "fit_refs": self.fit_refs,
            "exit": self.exit,
        }
        return given if self.raw is None else {**given, "raw": self.raw}


@dataclass(frozen=True, slots=True)
class Scenario:
    """Turns by what is asked: a task (`IMPL-001`), a plan task (`TASK-001`), a kind (`plan`), a role, or `*`."""

    turns: Mapping[str, Sequence[Turn]]

    def write(self, folder: Path) -> list[str]:
        """The command of an agent that plays it; `folder` is outside every project."""
        folder.mkdir(parents=True, exist_ok=True)
        turns = {key: [turn.as_json() for turn in each] for key, each in self.turns.items()}
        file = folder / "scenario.json"
        file.write_text(json.dumps({"state": str(folder / "state"), "turns": turns}), encoding="utf-8")
        return [sys.executable, "-S", str(AGENT), str(file)]


def calls(folder: Path) -> list[dict[str, Any]]:
    """Every call of the agent whose scenario is in `folder`: its marks, key, turn, current folder and prompt."""
    file = folder / "state" / "calls.jsonl"
    return (
        [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()] if file.exists() else []
    )


def honest(fixture: Fixture, *, seconds: float = 0.0) -> Scenario:
    """Plans as the fixture does, applies each task's right patch, finds nothing to complain about."""
    work = {
        key: [Turn(fixture.gold[key], seconds=seconds, answer=fixture.answer(key))] for key in fixture.gold
    }
    return Scenario({**work, **plan_and_review(fixture)})


def repaired(fixture: Fixture, bad: str) -> Scenario:
    """The first turn of the task with that bad patch applies it, the second one mends it."""
    key = next(task for task, name in fixture.bad if name == bad)
    first = Turn(fixture.bad[key, bad], answer=fixture.answer(key))
    second = Turn(whole(fixture, key), answer=fixture.answer(key))
    return Scenario({**honest(fixture).turns, key: [first, second]})


def cheating(fixture: Fixture, key: str, cheat: str, arguments: Mapping[str, Any], patch: Patch) -> Scenario:
    """The agent of one task applies the patch, cheats, and says what an honest one would say."""
    turn = Turn(patch, cheat=cheat, arguments=arguments, answer=fixture.answer(key))
    return Scenario({**honest(fixture).turns, key: [turn]})


def plan_and_review(fixture: Fixture) -> dict[str, Sequence[Turn]]:
    """The other roles of one who works as the fixture does; their prompts name plan tasks as well."""
    mended: dict[str, Any] = {
        "summary": "Nothing is to be mended.",
        "criteria": [],
        "no_change": "nothing fails",
        "needs": None,
    }
    return {
        "plan": [Turn(answer=fixture.plan_answer(), fit_refs=True)],
        "review": [Turn(answer={"findings": []})],
        "tester": [Turn(answer=mended)],
        "reviewer": [Turn(answer={"findings": []})],
    }


def whole(fixture: Fixture, key: str) -> dict[str, str | None]:
    """The task's right patch as whole files, which can be applied to whatever an earlier turn left."""
    files = dict(fixture.files)
    for each in fixture.needed(key)[:-1]:
        files = patched(files, fixture.gold[each])
    after = patched(files, fixture.gold[key])
    return {path: after.get(path) for path in fixture.gold[key]}


def patched(files: Mapping[str, str], patch: Patch) -> dict[str, str]:
    """The files after the patch."""
    after = dict(files)
    for path, change in patch.items():
        if change is None:
            del after[path]
        else:
            after[path] = change.apply(after[path]) if isinstance(change, Edit) else change
    return after


def _edit(path: str, change: str | Edit | None) -> dict[str, Any]:
    if change is None:
        return {"path": path, "action": "delete"}
    if isinstance(change, Edit):
        return {"path": path, "action": "replace", "blocks": [list(block) for block in change.blocks]}
    return {"path": path, "action": "write", "body": base64.b64encode(change.encode()).decode()}
