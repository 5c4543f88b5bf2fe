"""The scripted agent does what its scenario says, as an agent of the product that edits files."""

from __future__ import annotations

import signal
import subprocess
from collections.abc import Iterable
from pathlib import Path

from tests.patience import patient
from tests.work.repositories import COMMON, apply, build
from tests.work.scenarios import Scenario, Turn, calls, honest, repaired

FLAT = COMMON["python-flat"]


def play(argv: list[str], tree: Path, prompt: str, **marks: str) -> subprocess.CompletedProcess[str]:
    """Call the agent as the product does: marks in its environment, the prompt on standard input."""
    env = {f"LIFECYCLE_{name.upper()}": value for name, value in marks.items()}
    return subprocess.run(
        argv, cwd=tree, env=env, input=prompt, capture_output=True, text=True, timeout=patient(30)
    )


def contents(tree: Path, paths: Iterable[str]) -> dict[str, str | None]:
    return {path: (tree / path).read_text() if (tree / path).exists() else None for path in paths}


def test_the_task_in_the_prompt_chooses_the_edits(tmp_path: Path) -> None:
    argv = honest(FLAT).write(tmp_path / "agent")
    tree, right = build(FLAT, tmp_path / "tree"), build(FLAT, tmp_path / "right")
    apply(FLAT.gold["TASK-002"], right)

    reply = play(argv, tree, "After TASK-001. Plan task: TASK-002, criterion TASK-002-C1", task="IMPL-001")

    assert '"TASK-002-C1"' in reply.stdout
    assert contents(tree, FLAT.gold["TASK-002"]) == contents(right, FLAT.gold["TASK-002"])
    (call,) = calls(tmp_path / "agent")
    assert (call["key"], call["task"], call["cwd"], call["turn"]) == ("TASK-002", "IMPL-001", str(tree), 0)


def test_the_second_turn_mends_the_first(tmp_path: Path) -> None:
    argv = repaired(FLAT, "breaks_a_test").write(tmp_path / "agent")
    tree, right = build(FLAT, tmp_path / "tree"), build(FLAT, tmp_path / "right")
    apply(FLAT.gold["TASK-001"], right)
    gold = FLAT.gold["TASK-001"]

    play(argv, tree, "TASK-001")
    assert contents(tree, gold) != contents(right, gold)
    play(argv, tree, "TASK-001: a test failed")

    assert contents(tree, gold) == contents(right, gold)


def test_one_that_dies_half_way_leaves_half(tmp_path: Path) -> None:
    dying = Scenario({"*": [Turn(FLAT.gold["TASK-002"], die="half", answer={})]})
    argv = dying.write(tmp_path / "agent")
    tree = build(FLAT, tmp_path / "tree")

    assert play(argv, tree, "TASK-002").returncode == -signal.SIGKILL

    left = [(tree / path).stat().st_size if (tree / path).exists() else 0 for path in FLAT.gold["TASK-002"]]
    whole = [len(str(body).encode()) for body in FLAT.gold["TASK-002"].values()]
    assert left[0] == whole[0] and 0 < left[1] < whole[1]


def test_a_plan_cites_the_requirements_of_the_prompt(tmp_path: Path) -> None:
    argv = honest(FLAT).write(tmp_path / "agent")

    text = play(argv, tmp_path, "REQ-001, REQ-002, REQ-009", task="PLAN-001", kind="plan").stdout

    assert "REQ-009" in text and "REQ-003" not in text
