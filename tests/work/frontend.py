"""Builds of a small page: an agent that makes it badly and mends it when the audit says so."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from tests.e2e.support import Lifecycle
from tests.work.repositories import Fixture, Patch, read_fixture
from tests.work.scenarios import Scenario, Turn, honest, whole

PAGE = read_fixture("static-page", "pytest")
PLAYERS = {"fe-developer": "scripted", "fe-qa": "builtin"}
MENDED = {
    "summary": "The picture and the field have their words, and the button its contrast.",
    "criteria": [],
}
LOOP = ["PLAN-001", "DEV-FE-001", "QA-FE-001", "DEV-FE-002", "QA-FE-002"]  # of fe-only, with a second round
UNSERVED = 'serve = ["false"]\n'  # of [work]: there is no page to open

_BACKEND: Patch = {
    "visitors.py": 'def count(days):\n    """The visitors of all days."""\n    return sum(days)\n',
    "tests/test_visitors.py": (
        "from pathlib import Path\nimport sys\n\nsys.path.insert(0, str(Path(__file__).parent.parent))\n\n"
        "from visitors import count\n\n\ndef test_days_are_added():\n    assert count([2, 3]) == 5\n"
    ),
}
_COUNTS: Mapping[str, object] = {
    **PAGE.task("TASK-001"),
    "id": "TASK-002",
    "title": "Count the visitors",
    "description": "A function that adds the visitors of several days.",
    "side": "backend",
    "files": [
        {"path": "visitors.py", "action": "create", "change": "count()"},
        {"path": "tests/test_visitors.py", "action": "create", "change": "tests"},
    ],
    "convergence": {
        "criteria": [{"id": "TASK-002-C1", "text": "count([2, 3]) gives 5", "refs": ["REQ-003"]}]
    },
    "refs": ["REQ-003"],
}
BOTH_SIDES = replace(
    PAGE,
    name="both-sides",
    request=f"{PAGE.request}\n- The server must count the visitors of several days.",
    plan={**PAGE.plan, "task_ids": ["TASK-001", "TASK-002"]},
    tasks=(PAGE.task("TASK-001"), _COUNTS),
    gold={**PAGE.gold, "TASK-002": _BACKEND},
)


def mended_page(fixture: Fixture = PAGE, *, mends: bool = True) -> Scenario:
    """The first page has an image without words, a field without a label and a pale button; the second round mends them.

    `mends`: or changes a comment alone.
    """
    bad = Turn(fixture.bad["TASK-001", "inaccessible"], answer=fixture.answer("TASK-001"))
    files = whole(fixture, "TASK-001")
    good: Patch = {path: files[path] for path in ("index.html", "site.css")}
    second = Turn(good if mends else {"site.css": "/* the museum's */\n"}, answer=MENDED)
    return Scenario({**honest(fixture).turns, "DEV-FE-001": [bad], "DEV-FE-002": [second]})


def begin_frontend(project: Lifecycle, mode: str = "fe-only") -> tuple[str, ...]:
    """The command that builds the page, without writing a specification first."""
    return ("start", "Build it", "--mode", mode, "--spec", str(project.folder.parent / "spec.md"))
