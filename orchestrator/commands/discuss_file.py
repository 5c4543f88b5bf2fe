"""discuss FILE: a discussion of any readable text, in a session of its own that goes on from earlier ones of the file."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from orchestrator.commands.requests import read_text
from orchestrator.commands.start import GivenFile, Prepared, Started, check_options, start
from orchestrator.domain import secrets
from orchestrator.domain.dataclass import dataclass
from orchestrator.domain.errors import UsageError
from orchestrator.domain.inert import one_line
from orchestrator.domain.modes import ModeChoice
from orchestrator.domain.own_discussion import (
    EARLIER,
    MODE,
    MOST_EARLIER,
    OPTION,
    ROUND,
    artifact_of,
    chosen_views,
    discussion_of,
)
from orchestrator.domain.text import is_chinese
from orchestrator.project import Project, read_config
from orchestrator.store import artifacts, sessions
from orchestrator.store.store import Store, Tx
from orchestrator.views.budget import budget_of
from orchestrator.views.layout import Plan, StartOptions, title_of
from orchestrator.views.plan import plan_view


@dataclass(frozen=True, slots=True)
class DiscussRequest:
    """The options of `discuss FILE`."""

    file: str  # as it was given, relative to `folder`
    folder: Path
    perspectives: tuple[str, ...] = ()
    agent: str | None = None
    critics: str | None = None
    caps: Mapping[str, float] | None = None


@dataclass(frozen=True, slots=True)
class PreparedDiscussion:
    prepared: Prepared
    path: str  # of the file, below the project where it lies there
    artifact: str
    body: bytes


def prepare(project: Project, asked: DiscussRequest) -> PreparedDiscussion:
    """Read the file and plan its discussion. Raises UsageError, ConfigError; changes nothing."""
    check_options(None, None, None, asked.critics)
    flags = {"critics": asked.critics, "budget": asked.caps or None}
    pack, settings = read_config(project, flags)
    views = chosen_views(pack, asked.perspectives)
    if asked.agent is not None:
        from orchestrator.commands.resume import check_agent

        check_agent(project, asked.agent, ROUND)
    text = secrets.mask(read_text(asked.folder, asked.file), secrets.known(os.environ))
    if not any(letter.isalnum() for letter in text):
        raise UsageError(f"{asked.file!r} is empty", why="it contains no words", fix="name a file with text")
    path = _shown(project.root, asked.folder / Path(asked.file).expanduser())
    artifact = artifact_of(Path(path).name)
    own, pipeline = discussion_of(pack, artifact, views, asked.agent)
    body = text.encode("utf-8", "replace")
    named = one_line(path)  # as people and agents read it; a name of a file can hold anything
    planned = Plan(
        request=f"Discuss {named}",
        title=title_of(f"Discuss {one_line(Path(path).name)}"),
        language="zh" if is_chinese(text) else "en",
        choice=ModeChoice(MODE, f"{named} is discussed from {', '.join(views)}"),
        pipeline=pipeline,
        pack=own,
        options=StartOptions(
            MODE,
            "standalone",
            critics=asked.critics,
            perspectives=asked.perspectives,
            discusses={"path": path, "sha256": artifacts.digest_of(body)},
        ),
    )
    view = plan_view(planned, settings)
    return PreparedDiscussion(Prepared(project, planned, settings, view, None), path, artifact, body)


def begin(found: PreparedDiscussion, store: Store) -> Started:
    """Make the session, with the file and the records of its earlier discussions as its first artifacts."""
    prepared = found.prepared
    earlier = store.read(lambda tx: earlier_records(tx, found.path))
    files = {found.artifact: GivenFile(found.body, "document", "user")}
    files |= {
        f"{EARLIER}discussion-{number}.md": GivenFile(body, "document", "coordinator")
        for number, body in enumerate(earlier, 1)
    }
    return start(
        store,
        prepared.planned,
        project=prepared.project.root,
        max_attempts=prepared.settings.max_attempts,
        budget=budget_of(prepared.settings, [ROUND]),
        files=files,
    )


def earlier_records(tx: Tx, path: str) -> list[bytes]:
    """The records of the last discussions of the same file, oldest first."""
    found: list[bytes] = []
    for session in sessions.all_sessions(tx):
        if session.mode != MODE or (session.options.get(OPTION) or {}).get("path") != path:
            continue
        rows = [
            row for row in artifacts.newest(tx, session.id) if row.path.startswith(f"discussions/{ROUND}")
        ]
        found += [artifacts.body(tx, row.sha256) for row in rows if row.path.endswith(".md")]
    return found[-MOST_EARLIER:]


def _shown(root: Path, path: Path) -> str:
    """The path below the project, else the whole one: what tells a file from others in later discussions."""
    real = path.resolve()
    return real.relative_to(root.resolve()).as_posix() if real.is_relative_to(root.resolve()) else str(real)
