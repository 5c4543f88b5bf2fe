"""A session's files into a folder that has no commit: all that differ from the snapshot, or none.

A file that was changed since is refused before anything is written. Each file is replaced at once, so that a call that is cut
off is finished by the next one: what is as it is to be counts as done.
"""

from __future__ import annotations

import errno
import os
import secrets
import shutil
import stat
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from orchestrator.domain.errors import NotAllowedNow, TreeError
from orchestrator.store.deletion import remove_folder
from workers.git.candidates import GITLINK, LINK, Change, changes_between
from workers.git.git_process import Git
from workers.git.parent_folders import parent_folder
from workers.git.private_store import PrivateStore
from workers.git.tree_scan import is_git_directory_name, leads_outside

SHOWN = 20  # paths that an error names
ABSENT = ""


def write_files(store: PrivateStore, base: str, head: str, top: Path, umask: int) -> list[bytes]:
    """Bring the files below `top` from `base` to `head`; the paths that were written or removed.

    Raises NotAllowedNow where one is neither as in `base` nor as in `head`; then nothing was written.
    """
    changes = changes_between(store.git, base, head)
    _refuse_unsafe(store, changes)
    present = _present(store.git, top, changes)
    due = [change for change in changes if not _is_done(top, change, present)]
    _refuse([change.path for change in due if present[change.path] != _id(change.id_before)])
    if not due:
        return []
    given = store.path / f"given-{secrets.token_hex(4)}"
    index = given.with_suffix(".index")
    given.mkdir(mode=0o700)
    try:
        _check_out(store, head, due, given, index)
        for change in due:
            if change.status == "D":
                _remove(top, change.path)
            else:
                _put(top, change, given / os.fsdecode(change.path), umask)
    finally:
        remove_folder(given)
        index.unlink(missing_ok=True)
    return [change.path for change in due]


def _check_out(store: PrivateStore, head: str, due: Sequence[Change], given: Path, index: Path) -> None:
    """Write the files that are due into `given`, with the repository's own line ends."""
    git = store.git.using(work_tree=given, index=index, config=("core.sparseCheckout=false",))
    git.run("read-tree", head)
    paths = b"".join(change.path + b"\0" for change in due if change.status != "D")
    git.run("checkout-index", "-z", "--stdin", stdin=paths)


def _refuse_unsafe(store: PrivateStore, changes: Sequence[Change]) -> None:
    """Raises TreeError for what must not be written into a user's folder, whatever checks it has passed."""
    for change in changes:
        parts = change.path.split(b"/")
        unsafe = any(
            part in (b"", b".", b"..", b".workflow") or is_git_directory_name(part) for part in parts
        )
        if not unsafe and change.mode == LINK:
            unsafe = leads_outside(change.path, store.git.run("cat-file", "blob", change.id).out)
        if unsafe or GITLINK in (change.mode, change.mode_before):
            raise TreeError(
                "the work has a path that cannot be applied",
                why=repr(change.path),
                fix="`lifecycle apply --patch FILE` gives it as a patch",
            )


def _id(id: str) -> str:
    return ABSENT if set(id) == {"0"} else id


def _is_done(top: Path, change: Change, present: dict[bytes, str | None]) -> bool:
    if present[change.path] != _id(change.id):
        return False
    if change.status == "D" or change.mode == LINK:
        return True
    mode = (top / os.fsdecode(change.path)).lstat().st_mode
    return bool(mode & stat.S_IXUSR) == (change.mode == "100755")


def _present(git: Git, top: Path, changes: Sequence[Change]) -> dict[bytes, str | None]:
    """The id that each path's file would have; ABSENT: it is not there; None: something else is, such as a folder."""
    found: dict[bytes, str | None] = {}
    plain = []
    reader = git.using(work_tree=top)
    for change in changes:
        full = top / os.fsdecode(change.path)
        try:
            status = full.lstat()
        except (FileNotFoundError, NotADirectoryError):
            found[change.path] = None if _is_blocked(top, change.path) else ABSENT
            continue
        if _is_blocked(top, change.path) or not (
            stat.S_ISREG(status.st_mode) or stat.S_ISLNK(status.st_mode)
        ):
            found[change.path] = None
        elif stat.S_ISLNK(status.st_mode):
            target = os.fsencode(full.readlink())
            found[change.path] = git.run("hash-object", "--stdin", stdin=target).line
        elif b"\n" in change.path:
            body = full.read_bytes()
            found[change.path] = reader.run(
                "hash-object", "--stdin", b"--path=" + change.path, stdin=body
            ).line
        else:
            plain.append(change.path)
    if plain:
        asked = b"".join(path + b"\n" for path in plain)
        ids = reader.run("hash-object", "--stdin-paths", stdin=asked).out.decode().split()
        found |= dict(zip(plain, ids, strict=True))
    return found


def _is_blocked(top: Path, path: bytes) -> bool:
    """Whether a folder of the path is a link or a file."""
    here = top
    for part in path.split(b"/")[:-1]:
        here = here / os.fsdecode(part)
        if here.is_symlink() or (here.exists() and not here.is_dir()):
            return True
    return False


def _refuse(changed: Sequence[bytes]) -> None:
    if not changed:
        return
    names = ", ".join(path.decode("utf-8", "backslashreplace") for path in changed[:SHOWN])
    more = f" and {len(changed) - SHOWN} more" if len(changed) > SHOWN else ""
    raise NotAllowedNow(
        "files were changed since the session began; nothing was written",
        why=names + more,
        fix="move your changes away, or merge by hand what `lifecycle apply --patch FILE` gives",
    )


def _put(top: Path, change: Change, source: Path, umask: int) -> None:
    """Replace the file at once."""
    name = change.path.rpartition(b"/")[2]
    draft = f".{secrets.token_hex(8)}.lifecycle"
    with parent_folder(top, change.path, umask=umask) as folder:
        try:
            if change.mode == LINK:
                os.symlink(source.readlink(), draft, dir_fd=folder)
            else:
                flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
                mode = (0o777 if change.mode == "100755" else 0o666) & ~umask
                with os.fdopen(os.open(draft, flags, 0o600, dir_fd=folder), "wb") as file:
                    with source.open("rb") as body:
                        shutil.copyfileobj(body, file)
                    file.flush()
                    os.fchmod(file.fileno(), mode)
                    os.fsync(file.fileno())
            os.replace(draft, name, src_dir_fd=folder, dst_dir_fd=folder)
        finally:
            with suppress(FileNotFoundError):
                os.unlink(draft, dir_fd=folder)


def _remove(top: Path, path: bytes) -> None:
    """Remove the file, and folders that it leaves empty, as git does."""
    parts = path.split(b"/")
    with parent_folder(top, path, umask=None) as folder:
        os.unlink(parts[-1], dir_fd=folder)
    for end in range(len(parts) - 1, 0, -1):
        with parent_folder(top, b"/".join(parts[:end]), umask=None) as folder:
            try:
                os.rmdir(parts[end - 1], dir_fd=folder)
            except OSError as error:
                if error.errno in (errno.ENOTEMPTY, errno.EEXIST):
                    return
                raise
