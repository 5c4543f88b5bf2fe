"""Builds of a small page: an agent that makes it badly and mends it when the audit says so."""

from __future__ import annotations

from pathlib import Path

from tests.e2e.support import Lifecycle
from tests.work.repositories import Fixture, read_fixture
from tests.work.scenarios import Scenario, Turn, honest, whole

PAGE = read_fixture("static-page", "pytest")
PLAYERS = {"fe-developer": "scripted", "fe-qa": "builtin"}
MENDED = {
    "summary": "The picture and the field have their words, and the button its contrast.",
    "criteria": [],
}


def mended_page(fixture: Fixture = PAGE) -> Scenario:
    """The first page has an image without words, a field without a label and a pale button; the second round mends them."""
    bad = Turn(fixture.bad["TASK-001", "inaccessible"], answer=fixture.answer("TASK-001"))
    files = whole(fixture, "TASK-001")
    good = Turn({path: files[path] for path in ("index.html", "site.css")}, answer=MENDED)
    return Scenario({**honest(fixture).turns, "DEV-FE-001": [bad], "DEV-FE-002": [good]})


def begin_frontend(project: Lifecycle, mode: str = "fe-only") -> tuple[str, ...]:
    """The command that builds the page, without writing a specification first."""
    spec = str(Path(project.folder.parent) / "spec.md")
    return ("start", "Build it", "--mode", mode, "--spec", spec)
