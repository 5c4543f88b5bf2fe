"""Deleting trees: only what a row names and whose ownership file has that row's nonce, from a trash folder.

    retired   its run is closed and what it held is saved
    trash     renamed to <trees>/trash/<nonce>, then deleted; the ownership file goes last
    removed   the folder is gone; the row stays, so that no number is ever given again

Runs in the background: deleting a large tree has taken a minute on a busy disk.
"""

from __future__ import annotations

from collections.abc import Container
from pathlib import Path

from orchestrator import failpoints
from orchestrator.domain.dataclass import dataclass, field
from orchestrator.domain.errors import GitError, TreeError
from orchestrator.door.work_desk import LeftTree
from orchestrator.store.deletion import remove_folder
from workers.git.checkouts import OWNER, read_nonce
from workers.git.session_work import SessionWork


@dataclass(slots=True)
class Cleaned:
    """Folders that were deleted, and those that were left, with the reason."""

    removed: list[Path] = field(default_factory=list)
    left: dict[Path, str] = field(default_factory=dict)


def deletable(
    session: SessionWork, *, is_over: bool, before: int | None, spared: Container[str]
) -> list[LeftTree]:
    """The trees that `clean_trees` would delete with these arguments."""
    found = []
    for row in session.left_trees():
        in_use = row.state in ("making", "live") and not (is_over and row.outcome is not None)
        if row.run_id in spared or in_use:
            continue
        if before is None or row.retired_at is None or row.retired_at < before:
            found.append(row)
    return found


def clean_trees(
    session: SessionWork,
    *,
    is_over: bool = False,
    before: int | None = None,
    spared: Container[str] = (),
) -> Cleaned:
    """Delete the session's retired trees; `is_over`: those that wait for a next run, or were left by one, too.

    `before`: only those that were retired before that time (microseconds of UTC); `spared`: runs whose processes still
    live. Returns what was left and why; a folder that is not provably ours is never touched.
    """
    done = Cleaned()
    for row in deletable(session, is_over=is_over, before=before, spared=spared):
        try:
            _clean(session, row)
        except (TreeError, GitError) as error:
            done.left[row.path] = error.why or error.what
        except OSError as error:
            done.left[row.path] = str(error)
        else:
            done.removed.append(row.path)
    return done


def _clean(session: SessionWork, row: LeftTree) -> None:
    """Raises TreeError for a folder that is not ours, OSError, GitError."""
    desk, trash = session.desk, row.path.parents[2] / "trash" / row.nonce
    if row.state != "trash":
        with session.saving():
            session.save(row)
            desk.retire_tree(session.session, row.id)
            if not desk.discard_tree(session.session, row.id):
                raise TreeError(why=f"{row.path} is used again: a run has taken it over meanwhile")
    if row.path.is_dir() and not row.path.is_symlink():
        _assert_deletable(row.path, row.nonce)
        trash.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        row.path.rename(trash)
    if trash.is_dir():
        _assert_deletable(trash, row.nonce)
        _delete(trash)
    desk.note_removed(session.session, row.id)
    failpoints.hit("tree.removed")


def _assert_deletable(folder: Path, nonce: str) -> None:
    """Ours by its nonce, or with nothing in it but an ownership file that was never finished. Raises TreeError."""
    if read_nonce(folder) == nonce:
        return
    if any(not inner.name.startswith(f".{OWNER}.") for inner in folder.iterdir()):
        raise TreeError(why=f"{folder} is not ours: its {OWNER} is missing or has another nonce")


def _delete(folder: Path) -> None:
    """The ownership file last, so that a deletion that is cut off can go on."""
    for inner in folder.iterdir():
        if inner.is_dir() and not inner.is_symlink():
            inner.chmod(0o700)
            remove_folder(inner)
        elif inner.name != OWNER:
            inner.unlink()
    (folder / OWNER).unlink(missing_ok=True)
    folder.rmdir()
