"""Why a project's files cannot be used, told from the files themselves: whose they are, their mode, a link in their place."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path
from shlex import quote

from orchestrator.domain.dataclass import dataclass
from orchestrator.domain.errors import UsageError

FOLDERS = (
    ".team",
    "backups",
    "cache",
    "contents",
    "locks",
    "logs",
    "runs",
)  # what we write below `.workflow`
OWN_FILES = (".gitignore", "ballast", "led", "mcp.secret", "path")
READ, WRITE = os.R_OK, os.R_OK | os.W_OK


@dataclass(frozen=True, slots=True)
class Obstacle:
    why: str
    fix: str


def obstacle(path: Path, wanted: int = WRITE) -> Obstacle | None:
    """What keeps us from reading or writing a file and those beside it of the same database; None when nothing does."""
    for each in (path.parent, *_files_of(path)):
        found = _denied(each, wanted)
        if found is not None:
            return found
    return None


def refuse_denied(database: Path) -> None:
    """Raises UsageError when we may not write the database or in a folder beside it: a session begun there would stop."""
    workflow = database.parent
    if not workflow.is_dir() or _is_shown_to_an_agent(database):
        return
    denied = obstacle(database)
    inside = (workflow / name for name in FOLDERS)
    denied = denied or next((found for each in inside if (found := _denied(each, WRITE))), None)
    if denied is not None:
        raise UsageError("the project's .workflow cannot be written", why=denied.why, fix=denied.fix)


def _files_of(database: Path) -> list[Path]:
    """The database's file, its log and the index of its log."""
    return [database.with_name(database.name + suffix) for suffix in ("", "-wal", "-shm")]


def _is_shown_to_an_agent(database: Path) -> bool:
    """Whether we are the MCP server of a run, to whose agent all but the database's files is read-only."""
    files = _files_of(database)
    return _is_read_only(database.parent) and all(
        os.access(each, WRITE) and not _is_read_only(each) for each in files
    )


def _is_read_only(path: Path) -> bool:
    """Whether it lies on what is mounted read-only."""
    return bool(os.statvfs(path).f_flag & os.ST_RDONLY)


def _denied(path: Path, wanted: int) -> Obstacle | None:
    try:
        found = path.stat()
    except PermissionError:
        return _denied(path.parent, READ)
    except OSError:
        return None  # what is not there denies nothing
    is_folder = stat.S_ISDIR(found.st_mode)
    if os.access(path, (wanted & os.W_OK) | os.X_OK if is_folder else wanted):
        return None
    if wanted & os.W_OK and _is_read_only(path):
        return Obstacle(f"{path} lies on a disk that is mounted read-only", "use a project folder elsewhere")
    return Obstacle(of(path), _way_on(path, found, "rwx" if is_folder else "rw"))


def _way_on(path: Path, found: os.stat_result, bits: str) -> str:
    if found.st_uid == os.geteuid():
        return f"chmod u+{bits} {quote(str(path))}"
    mine = f"chown -R {os.geteuid()} {quote(str(path if path.is_dir() else path.parent))}"
    return f"run the command as {user(found.st_uid)}, have it given to you ({mine}), or use a project folder of your own"


def of(path: Path) -> str:
    """Whose a file is, with its mode, and who we are."""
    found = path.stat()
    owner, mode = user(found.st_uid), stat.S_IMODE(found.st_mode)
    return f"{path} belongs to {owner} and has mode {mode:04o}; you are {user(os.geteuid())}"


def other_owner(path: Path) -> Obstacle | None:
    """The same for a file that is another user's, whatever we may do with it."""
    found = path.stat()
    return None if found.st_uid == os.geteuid() else Obstacle(of(path), _way_on(path, found, "rw"))


def user(uid: int) -> str:
    """A user's name with the number, as far as the system knows one."""
    import pwd

    try:
        return f"{pwd.getpwuid(uid).pw_name} (uid {uid})"
    except KeyError:
        return f"uid {uid}"


def refuse_links(workflow: Path) -> None:
    """Raises UsageError when a link stands for `.workflow` or for something we write in it: it could lead anywhere."""
    link = next(_links(workflow), None)
    if link is None:
        return
    leads, there = link.resolve(), link.exists()
    raise UsageError(
        f"{link.relative_to(workflow.parent)} is a link",
        why=f"it leads to {leads}{'' if there else ', which is not there'}; the product writes only where no link leads",
        fix=f"remove the link (rm {quote(str(link))})"
        + (", and put a copy of what it leads to in its place where that is wanted" if there else ""),
    )


def _links(workflow: Path) -> Iterator[Path]:
    """Links in places that are ours; a person's own beside them, or an editor's lock, are none of ours."""
    if workflow.is_symlink():
        yield workflow
        return
    own = (*FOLDERS, *OWN_FILES, *(each.name for each in _files_of(workflow / "lifecycle.db")))
    yield from (workflow / name for name in own if (workflow / name).is_symlink())
    logs = workflow / "logs"
    if logs.is_dir() and os.access(logs, READ):
        yield from (each for each in sorted(logs.iterdir()) if each.is_symlink())
