"""A project whose critiques, and documents where a plan has them, are said by `agents/judge.py`."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from typing import Any

from tests.e2e.support import Gave, Lifecycle, agent_toml, lifecycle

REQUEST = "Build a URL shortener. It must expire links after 30 days. It must export statistics as CSV."
JUDGE = Path(__file__).parent / "agents" / "judge.py"
ROLES = {role: ["judge", "builtin"] for role in ("analyst", "writer", "reviewer")}
VIEWS = {view: ["judge"] for view in ("product", "technical", "quality", "risk", "coverage")}
ALL = ("product", "technical", "quality", "coverage")  # who speaks in DISCUSS-002 and DISCUSS-005


class Court:
    """`start` begins a session in which the judge says what the plan has; everything else is a look at what came out."""

    def __init__(self, project: Lifecycle) -> None:
        self.project = project
        self.prompts = project.folder.parent / "prompts"  # the project is read-only for the judge
        self._plan = project.folder / "plan.json"
        self.plan({})

    def plan(self, answers: Mapping[str, Any]) -> None:
        part = self._plan.with_suffix(".part")
        part.write_text(json.dumps(answers))
        part.rename(self._plan)

    @contextmanager
    def pack(self, text: str) -> Iterator[None]:
        """Lay a pack over the shipped one while sessions are started."""
        file = self.project.folder / ".workflow" / "packs" / "test.yaml"
        file.parent.mkdir(exist_ok=True)
        file.write_text(f"extends: default\n{text}")
        try:
            yield
        finally:
            file.unlink()

    def start(self, answers: Mapping[str, Any], *options: str, request: str = REQUEST) -> tuple[str, Gave]:
        self.plan(answers)
        gave = self.project.run("start", request, *options)
        return self.project.session(), gave

    def hold(self, name: str) -> tuple[dict[str, str], Path]:
        """An answer that is not given before the file is there."""
        gate = self.project.folder / name
        return {"until": str(gate)}, gate

    def asked(self, session: str, task: str, who: str) -> str:
        """The prompt that was given to the judge; empty when it was not asked."""
        file = self.prompts / session / f"{task}.{who}.md"
        return file.read_text() if file.exists() else ""

    def wait_asked(self, session: str, task: str, who: str) -> None:
        def fact() -> str:
            assert self.project.status(session)[0] == "active", self.project.run("check", session).out
            return self.asked(session, task, who)

        self.project.wait(fact, f"{task} asks {who}")

    def verdicts(self, session: str) -> dict[str, tuple[str, str | None, float]]:
        """(consensus, severity, mean) by task."""
        found = self.project.rows(
            "SELECT t.key, v.consensus, v.severity, v.mean FROM verdicts v JOIN tasks t ON t.id = v.task_id "
            "WHERE v.session_id = ? AND v.kind = 'discuss' ORDER BY v.id",
            session,
        )
        return {key: (consensus, severity, mean) for key, consensus, severity, mean in found}

    def order(self, session: str) -> list[str]:
        """Tasks in the order in which their last runs began; fails when two of them overlapped."""
        found = self.project.rows(
            "SELECT t.key, r.opened_at, r.closed_at FROM runs r JOIN tasks t ON t.id = r.task_id "
            "WHERE r.session_id = ? AND r.outcome = 'completed' ORDER BY r.opened_at",
            session,
        )
        for (before, _, closed), (behind, opened, _) in pairwise(found):
            assert closed <= opened, f"{behind} began before {before} had ended"
        return [row[0] for row in found]

    def blockers(self, session: str, task: str) -> set[str]:
        found = self.project.rows(
            "SELECT b.key FROM edges e JOIN tasks t ON t.id = e.task_id JOIN tasks b ON b.id = e.blocker_id "
            "WHERE t.session_id = ? AND t.key = ?",
            session,
            task,
        )
        return {row[0] for row in found}

    def payload(self, session: str, task: str) -> dict[str, Any]:
        found = self.project.rows("SELECT payload FROM tasks WHERE session_id = ? AND key = ?", session, task)
        return dict(json.loads(found[0][0]))

    def attempts(self, session: str, task: str) -> int:
        """Charged attempts."""
        found = self.project.rows(
            "SELECT attempts FROM tasks WHERE session_id = ? AND key = ?", session, task
        )
        return int(found[0][0])

    def decisions(self, session: str) -> list[tuple[str, str, str | None, bool]]:
        """(subject, words, digest, forced), oldest first."""
        found = self.project.rows(
            "SELECT subject, words, digest, forced FROM decisions WHERE session_id = ? ORDER BY id", session
        )
        return [(subject, words, digest, bool(forced)) for subject, words, digest, forced in found]

    def pauses(self, session: str) -> int:
        """How often it was paused."""
        return int(
            self.project.rows(
                "SELECT count(*) FROM messages WHERE session_id = ? AND type = 'paused'", session
            )[0][0]
        )

    def digests(self, session: str) -> dict[str, str]:
        """The newest version's digest of each artifact."""
        return dict(
            self.project.rows(
                "SELECT path, sha256 FROM artifacts WHERE session_id = ? ORDER BY version", session
            )  # type: ignore[arg-type]
        )

    def file(self, session: str, path: str) -> str:
        """A projected file, once it shows everything that happened."""
        self.project.wait(
            lambda: self.project.rows(
                "SELECT 1 FROM sessions WHERE id = ? AND projected >= messages", session
            ),
            "the files are written",
        )
        return (self.project.directory(session) / path).read_text()

    def document(self, session: str, folder: str) -> str:
        """A document with the files of its items."""
        self.file(session, f"{folder}/_index.md")
        files = sorted((self.project.directory(session) / folder).glob("*.md"))
        return "\n".join(file.read_text() for file in files)


def rated(task: str, **ratings: int) -> dict[str, Any]:
    """Plan entries: each perspective's rating of a task."""
    return {f"{task}/{view}": {"rating": rating} for view, rating in ratings.items()}


def every(task: str, answer: Mapping[str, Any], views: Sequence[str] = ALL) -> dict[str, Any]:
    return {f"{task}/{view}": dict(answer) for view in views}


def ids(text: str, prefix: str) -> set[str]:
    """Identifiers such as REQ-001 in a text."""
    return set(re.findall(rf"\b{prefix}-\d{{3}}(?:-\d{{3}})?\b", text))


@contextmanager
def court(
    folder: Path,
    settings: Mapping[str, Any] | None = None,
    roles: Mapping[str, Sequence[str]] | None = None,
    more: str = "",
) -> Iterator[Court]:
    """A court for one test or one file of them. Its plan is read at every question."""
    folder.mkdir(parents=True, exist_ok=True)
    command = [
        sys.executable,
        "-I",
        "-S",
        str(JUDGE),
        str(folder / "p" / "plan.json"),
        str(folder / "prompts"),
    ]
    extra = agent_toml("judge", command) + more
    extra += _table("roles", {**ROLES, **(roles or {})}) + _table("perspectives", VIEWS)
    with lifecycle(folder / "p", settings, extra) as project:
        yield Court(project)


def _table(name: str, values: Mapping[str, Sequence[str]]) -> str:
    lines = "".join(f"{key} = {json.dumps(list(value))}\n" for key, value in values.items())
    return f"\n[{name}]\n{lines}"
