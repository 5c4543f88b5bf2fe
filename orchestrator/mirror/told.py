"""What a mirror has done, and what it could not do, for people and programs."""

from __future__ import annotations

from collections.abc import Callable

from orchestrator.domain.dataclass import dataclass, field
from orchestrator.domain.inert import inert
from orchestrator.domain.json_types import JsonObject

EXIT_SKIPPED, EXIT_CONFLICT = 1, 3


@dataclass
class Told:
    """`on_line` gets each thing as it happens, in words; of what stays as it is, once."""

    on_line: Callable[[str], None] = lambda _: None
    written: list[JsonObject] = field(default_factory=list)
    sent: list[JsonObject] = field(default_factory=list)
    conflicts: dict[str, JsonObject] = field(default_factory=dict)  # by file
    skipped: dict[str, JsonObject] = field(default_factory=dict)  # by file
    left: dict[str, JsonObject] = field(default_factory=dict)  # by file
    _said: dict[str, str] = field(default_factory=dict)  # why a file is skipped, as it was said

    def wrote(self, path: str) -> None:
        self.written.append({"file": path})
        self._say(f"written: {path}")

    def took(self, path: str, version: int) -> None:
        self.sent.append({"file": path, "version": version})
        self._say(f"sent: {path} is version {version}")

    def clashed(self, path: str, file: str, base: int | None) -> None:
        """A person's text of `path` is in `file`."""
        if file not in self.conflicts:
            from_ = "an unknown version" if base is None else f"version {base}"
            self._say(
                f"conflict: you edited {from_} of {path}, which is newer by now; your text is in {file}: "
                "put what you want of it into the document, then delete it"
            )
        self.conflicts[file] = {"file": path, "yours": file, "base": base}

    def settled(self, file: str) -> None:
        if self.conflicts.pop(file, None) is not None:
            self._say(f"settled: {file}")

    def skip(self, path: str, why: str) -> None:
        """Neither sent nor written."""
        if self._said.get(path) != why:
            self._say(f"skipped: {path}: {why}")
        self._said[path] = why
        self.skipped[path] = {"file": inert(path), "why": why}

    def leave(self, path: str, why: str) -> None:
        """A file that is nothing of the mirror's."""
        if path not in self.left:
            self._say(f"left alone: {path}: {why}")
        self.left[path] = {"file": inert(path), "why": why}

    def begin_pass(self, session: str) -> None:
        """What is skipped in the session is found out anew."""
        for path in [each for each in self.skipped if each.partition("/")[0] == session]:
            del self.skipped[path]

    @property
    def exit_code(self) -> int:
        return EXIT_CONFLICT if self.conflicts else EXIT_SKIPPED if self.skipped else 0

    def as_json(self) -> JsonObject:
        return {
            "written": list(self.written),
            "sent": list(self.sent),
            "conflicts": list(self.conflicts.values()),
            "skipped": list(self.skipped.values()),
            "left_alone": list(self.left.values()),
        }

    def _say(self, text: str) -> None:
        self.on_line(inert(text))
