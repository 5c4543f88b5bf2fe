"""The code of an exported session: a git bundle, which run made each commit, and what its plans were made of
(`portable_links.py`), beside the session's rows.

Evidence stays behind: a check that another machine made is none of ours. Where the project lacks the commit that the work
builds on, the bundle is laid beside the stores, and the session arrives without code.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path

from orchestrator.commands import portable_links
from orchestrator.commands.portable_links import Links
from orchestrator.dispatch.asking import have_done
from orchestrator.domain.dataclass import dataclass
from orchestrator.domain.errors import LifecycleError, UsageError
from orchestrator.domain.json_types import Json, JsonObject
from orchestrator.store import work, work_state
from orchestrator.store.store import Store, Tx

BUNDLE, ABOUT = "work.bundle", "work.json"  # members of the file
ORIGINS = ("repository", "snapshot")
_DIGITS = frozenset("0123456789abcdef")


@dataclass(frozen=True, slots=True)
class Code:
    """What a package holds of a session's code, as it says itself."""

    bundle: bytes
    origin: str
    base: str
    head: str
    runs: dict[str, str | None]  # commit -> the run that made it; None: the user


def members(store: Store, session: str, project: Path) -> dict[str, bytes]:
    """What to add to the session's file: its links, and its code where a commit has landed. Raises LifecycleError."""
    state = store.read(lambda tx: work_state.state_of(tx, session))
    if state is None:
        return {}
    links = portable_links.members(store, session, state.origin, state.base)
    if state.head == state.base:
        return links
    with tempfile.TemporaryDirectory(prefix="lifecycle-") as folder:
        file = Path(folder, BUNDLE)
        have_done("bundle", project, "--session", session, "--to", str(file))
        bundle = file.read_bytes()
    landed = store.read(lambda tx: work_state.landed(tx, session))
    about = {
        "origin": state.origin,
        "base": state.base,
        "head": landed[-1].commit_id,
        "runs": {each.commit_id: each.run_id for each in landed},
    }
    return {BUNDLE: bundle, ABOUT: json.dumps(about).encode(), **links}


def read_links(read: Callable[[str], bytes], runs: frozenset[str]) -> Links | None:
    """The links in a package, None where it has none. Raises ValueError, KeyError, TypeError."""
    links = portable_links.read_links(read, runs)
    if links is not None:
        check_ground(links.origin, [links.base, *(each.tree_id for each in links.grounds)])
    return links


def read_code(read: Callable[[str], bytes]) -> Code | None:
    """The code in a package whose members `read` gives, None where it has none. Raises ValueError, KeyError."""
    try:
        about = json.loads(read(ABOUT))
    except KeyError:
        return None
    origin, base, head, runs = (about[name] for name in ("origin", "base", "head", "runs"))
    check_ground(origin, [base, head, *runs])
    if not all(run is None or isinstance(run, str) for run in runs.values()):
        raise ValueError("its commits are by no runs")
    return Code(read(BUNDLE), origin, base, head, runs)


def check_ground(origin: Json, commits: Iterable[Json]) -> None:
    """Raises ValueError for what no session's work builds on."""
    if origin not in ORIGINS or not all(_is_id(each) for each in commits):
        raise ValueError("what it says of its code is of another form")


def _is_id(value: Json) -> bool:
    return isinstance(value, str) and len(value) in (40, 64) and _DIGITS.issuperset(value)


def restore(
    store: Store,
    session: str,
    code: Code,
    links: Links | None,
    completed: frozenset[str],
    project: Path,
    *,
    keeps_bundle: bool = True,
) -> str:
    """Bring the code of a session that was just imported into the project, and publish its branch; why not, or nothing.

    `completed`: the runs of the session that ended so. `keeps_bundle`: beside the stores, where it cannot be brought.
    """
    file = store.workflow / "work" / f"{session}.bundle"
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    file.write_bytes(code.bundle)
    given = ("--session", session, "--base", code.base, "--origin", code.origin, "--from", str(file))
    try:
        found = have_done("unbundle", project, *given)
        line = _line(found, code, completed)
    except LifecycleError as error:
        if not keeps_bundle:
            file.unlink()
        kept = f"; its commits are in {file}" if keeps_bundle else ""
        return f"without its code: {error.what}: {error.why}{kept}"
    store.write(lambda tx: _begin(tx, session, code, line, links), about=session)
    file.unlink()
    try:
        have_done("tidy", project, "--session", session)
    except LifecycleError as error:
        return f"its branch is not in your repository yet: {error.what}: {error.why}"
    return ""


def restore_links(store: Store, session: str, links: Links, project: Path) -> str:
    """Begin the work of an imported session of which nothing had landed, on the same base; why not, or nothing.

    Then its work begins on what the project has checked out, and what its plan was made of is not known.
    """
    given = ("--session", session, "--base", links.base, "--origin", links.origin)
    try:
        have_done("unbundle", project, *given)
    except LifecycleError as error:
        return f"without the links of its plan: {error.what}: {error.why}"
    store.write(lambda tx: _begin(tx, session, links, [], links), about=session)
    return ""


def _begin(
    tx: Tx,
    session: str,
    on: Code | Links,
    line: list[tuple[str, str, str | None]],
    links: Links | None,
) -> None:
    work.restore(tx, session, on.origin, on.base, line)
    if links is not None:
        portable_links.insert(tx, session, links)


def _line(found: JsonObject, code: Code, completed: frozenset[str]) -> list[tuple[str, str, str | None]]:
    """The commits, from the oldest: id, tree and run. Raises UsageError where git and the package differ."""
    line = [(commit, tree, code.runs.get(commit)) for commit, _, tree in found["line"]]
    before = [code.base, *(commit for commit, _, _ in found["line"])]
    parents = [parent for _, parent, _ in found["line"]]
    if (
        found["head"] != code.head
        or {commit for commit, _, _ in line} != set(code.runs)
        or parents != before[:-1]
        or any(run is not None and run not in completed for _, _, run in line)
    ):
        raise UsageError(
            "the commits in the file are not those of the session",
            why="they were made by other runs, or are others",
            fix="export the session again",
        )
    return line
