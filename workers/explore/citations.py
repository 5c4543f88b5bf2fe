"""Whether a cited line is there: the file below the project, the line in it, and the words on that line."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from orchestrator.domain.dataclass import dataclass, field
from orchestrator.domain.patterns import expression
from workers.explore.knowledge import knowledge
from workers.explore.root import Root
from workers.explore.seen import ELLIPSIS, quoted

MAX_BYTES = 2 * 1024 * 1024
NEAR = 40  # lines around the cited one in which a quote may stand
SHORTEST = 6  # characters of a quote that tell a line
_SPACE = expression(r"\s+")


@dataclass(frozen=True, slots=True)
class Cited:
    """One place: `verified` where it was found, and then `line` and `quote` are what stands there."""

    path: str
    line: int
    quote: str
    verified: bool
    fault: str = ""


@dataclass
class CitationCheck:
    """Reads each cited file once. Secret files are never quoted."""

    root: Path
    _files: dict[str, list[str] | None] = field(default_factory=dict)

    def know(self, texts: Mapping[str, str]) -> None:
        """Texts that are no files of the project (path -> text), to be cited as well."""
        self._files.update((path, text.splitlines()) for path, text in texts.items())

    def check(self, path: str, line: int, quote: str) -> Cited:
        lines = self._lines(path)
        if lines is None:
            return Cited(path, line, quote, False, "no such file in the project")
        wanted = _plain(quote).removesuffix(ELLIPSIS)  # a long line is quoted by its beginning
        if len(wanted) >= SHORTEST:
            near = [n for n in _around(line, len(lines)) if wanted in _plain(lines[n - 1])]
            anywhere = near or [n for n, text in enumerate(lines, 1) if wanted in _plain(text)]
            if not anywhere:
                return Cited(path, line, quote, False, "the quoted words do not stand in the file")
            found = min(anywhere, key=lambda n: abs(n - line))
        elif 1 <= line <= len(lines) and lines[line - 1].strip():
            found = line
        else:
            return Cited(
                path, line, quote, False, f"the file has {len(lines)} lines and this one says nothing"
            )
        return Cited(path, found, quoted(lines[found - 1]), True)

    def _lines(self, path: str) -> list[str] | None:
        if path not in self._files:
            text = None
            if not path.startswith("/") and ".git" not in path.split("/") and not knowledge().secret(path):
                with Root(self.root) as opened:
                    text = opened.text(path, MAX_BYTES)
            self._files[path] = None if text is None else text.splitlines()
        return self._files[path]


def _around(line: int, count: int) -> Iterable[int]:
    return range(max(1, line - NEAR), min(count, line + NEAR) + 1)


def _plain(text: str) -> str:
    return _SPACE.sub(" ", text).strip().strip("`")
