"""Reading what a test run has written: regular files only, no link followed, bounded in size and number."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

from pathspec import GitIgnoreSpec

from workers.evidence.cases import CaseList, Cases
from workers.explore.root import Root

MAX_REPORT_BYTES = 50 * 1024 * 1024
MAX_JSON_BYTES = 20 * 1024 * 1024  # read as a whole, it takes up to thirty times as much memory
MAX_REPORTS = 20_000  # Java writes one a class
_MAX_ENTRIES = 250_000
_CLOCK_SECONDS = 0.05  # a file system's clock may lag behind ours by one tick
_NEVER_IN = frozenset({".git", "node_modules", ".venv", "venv", ".tox", ".workflow"})


class UnbelievableReport(Exception):
    """A report cannot be read; the message says why, as a sentence without its end."""


def read_report_file(folder: Path, name: str, since: float = 0.0, limit: int = MAX_REPORT_BYTES) -> bytes:
    """The bytes of the report `name` below `folder`, through no link.

    Raises UnbelievableReport when it is missing, no regular file, older than `since`, or larger than `limit` bytes.
    """
    try:
        with Root(folder) as root:
            with root.opened(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC) as file:
                written = os.fstat(file).st_mtime
            data = root.read(name, limit + 1)
    except FileNotFoundError:
        raise UnbelievableReport("it wrote no report") from None
    except OSError as error:
        raise UnbelievableReport(f"its report cannot be opened: {error.strerror}") from None
    if data is None:
        raise UnbelievableReport("its report is not a regular file")
    if written < since - _CLOCK_SECONDS:
        raise UnbelievableReport("its report is older than the run")
    if len(data) > limit:
        raise UnbelievableReport(f"its report is larger than {limit // (1024 * 1024)} MB")
    return data


def parse_file(
    report: Path, since: float, parse: Callable[[bytes], Cases], limit: int = MAX_REPORT_BYTES
) -> Cases:
    """The cases of the file `report`; what cannot be read is a fault."""
    try:
        data = read_report_file(report.parent, report.name, since, limit)
    except UnbelievableReport as error:
        into = CaseList()
        into.fault(str(error))
        return into.done()
    return parse(data)


def reports_below(tree: Path, patterns: tuple[str, ...], since: float) -> list[str]:
    """The files below `tree` that match one of the patterns (as in .gitignore) and are not older than `since`."""
    wanted = GitIgnoreSpec.from_lines(patterns)
    found = []
    for path, written in _files(tree):
        if wanted.match_file(path) and written >= since - _CLOCK_SECONDS:
            found.append(path)
            if len(found) > MAX_REPORTS:
                raise UnbelievableReport(f"it wrote more than {MAX_REPORTS} reports")
    return sorted(found)


def _files(tree: Path) -> Iterator[tuple[str, float]]:
    seen, folders = 0, [""]
    while folders:
        folder = folders.pop()
        try:
            entries = list(os.scandir(tree / folder))
        except OSError:
            continue  # unreadable or gone meanwhile: there is no report in it
        for entry in entries:
            seen += 1
            if seen > _MAX_ENTRIES:
                raise UnbelievableReport(f"its tree has more than {_MAX_ENTRIES} files")
            path = f"{folder}/{entry.name}" if folder else entry.name
            if entry.is_dir(follow_symlinks=False):
                if entry.name not in _NEVER_IN:
                    folders.append(path)
            elif entry.is_file(follow_symlinks=False):
                try:
                    yield path, entry.stat(follow_symlinks=False).st_mtime
                except FileNotFoundError:
                    continue
