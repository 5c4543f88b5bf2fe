"""A repository whose plan has independent tasks, each quick to carry out and to test: for tests that kill."""

from __future__ import annotations

from collections.abc import Mapping

from tests.work.repositories import Fixture, Patch

BASE = {
    ".gitignore": "__pycache__/\n.workflow/\n",
    "setup.cfg": "[metadata]\nname = parts\nversion = 0.1.0\n",
    "parts/__init__.py": "",
    "tests/__init__.py": "",
    "tests/test_base.py": (
        "import unittest\n\nimport parts\n\n\nclass Base(unittest.TestCase):\n"
        '    def test_the_package_is_there(self):\n        self.assertEqual(parts.__name__, "parts")\n'
    ),
}


def lanes(count: int, *, seconds: float = 0.0, files: Mapping[str, str] | None = None) -> Fixture:
    """A fixture with so many plan tasks, none of which waits for another; its tests take at least so long.

    `files`: what the repository has besides.
    """
    keys = [f"TASK-{number:03d}" for number in range(1, count + 1)]
    return Fixture(
        name=f"lanes-{count}",
        about=f"{count} modules that have nothing to do with each other",
        runner="unittest",
        request="The package needs modules.\nRequirements:\n"
        + "".join(f"- The package must have a part {n} that says {n}.\n" for n in range(1, count + 1)),
        commits=({**BASE, **_slow(seconds), **(files or {})},),
        plan={
            "summary": "One module a part.",
            "approach": "Modules that do not know each other.",
            "complexity": {"score": 1, "level": "Low", "words": []},
            "decisions": [],
            "shared_context": {"stack": ["Python 3.11", "unittest"], "conventions": []},
            "uncovered": [],
            "test": {"commands": ["python -m unittest"], "report": None},
            "executor": None,
            "risks": [],
            "task_ids": keys,
        },
        tasks=tuple(_task(number) for number in range(1, count + 1)),
        gold={key: _patch(number) for number, key in enumerate(keys, 1)},
        bad={},
    )


def _slow(seconds: float) -> dict[str, str]:
    if not seconds:
        return {}
    text = (
        "import time\nimport unittest\n\n\nclass Slow(unittest.TestCase):\n"
        f"    def test_that_takes_its_time(self):\n        time.sleep({seconds})\n"
    )
    return {"tests/test_slow.py": text}


def _task(number: int) -> dict[str, object]:
    key, requirement = f"TASK-{number:03d}", f"REQ-{number:03d}"
    return {
        "id": key,
        "title": f"Part {number}",
        "description": f"A module that says {number}.",
        "kind": "feature",
        "side": "backend",
        "files": [
            {"path": f"parts/part_{number}.py", "action": "create", "change": "say()"},
            {"path": f"tests/test_part_{number}.py", "action": "create", "change": "tests"},
        ],
        "convergence": {
            "criteria": [{"id": f"{key}-C1", "text": f"say() gives {number}", "refs": [requirement]}]
        },
        "depends_on": [],
        "refs": [requirement],
        "tests_may_change": [],
        "new_dependencies": [],
        "executor": None,
        "size": "S",
    }


def _patch(number: int) -> Patch:
    return {
        f"parts/part_{number}.py": f'def say():\n    """The number of the part."""\n    return {number}\n',
        f"tests/test_part_{number}.py": (
            f"import unittest\n\nfrom parts.part_{number} import say\n\n\nclass Part(unittest.TestCase):\n"
            f"    def test_it_says_its_number(self):\n        self.assertEqual(say(), {number})\n"
        ),
    }
