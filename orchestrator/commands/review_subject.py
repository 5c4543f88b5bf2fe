"""What a session of mode review is about: two commits of the user's, or a patch on HEAD."""

from __future__ import annotations

import base64
import hashlib
from pathlib import Path

from orchestrator.domain.dataclass import dataclass
from orchestrator.domain.errors import UsageError
from orchestrator.domain.inert import one_line
from orchestrator.domain.json_types import JsonObject
from orchestrator.domain.review_verdicts import MODE


@dataclass(frozen=True, slots=True)
class ReviewSubject:
    """Two commits by their full ids, and what comes on top of the second one."""

    base: str
    head: str
    title: str  # for people: what
    words: str  # and how much of it
    patch: bytes | None = None

    def as_option(self) -> dict[str, str]:
        """What the session's options keep of it."""
        kept = {"base": self.base, "head": self.head, "words": self.words}
        return kept if self.patch is None else {**kept, "patch": hashlib.sha256(self.patch).hexdigest()}


@dataclass(frozen=True, slots=True)
class AskedReview:
    """The options of mode review, as they were given."""

    base: str | None
    head: str | None
    diff: str | None
    include_dirty: bool

    def found(self, project: Path, here: Path) -> ReviewSubject:
        """The commits that these options name. Raises UsageError; writes nothing."""
        from orchestrator.dispatch.asking import have_done

        words = [
            *([f"--base={self.base}"] if self.base is not None else []),
            *([f"--head={self.head}"] if self.head is not None else []),
            *([f"--diff={here / self.diff}"] if self.diff is not None else []),
            *(["--include-dirty"] if self.include_dirty else []),
        ]
        answer = have_done("review-subject", project, *words)
        patch = None if answer["patch"] is None else base64.b64decode(answer["patch"])
        title = _title(answer, self.diff)
        return ReviewSubject(answer["base"], answer["head"], title, _words(answer, title), patch)


def asked_review(
    mode: str | None, base: str | None, head: str | None, diff: str | None, include_dirty: bool
) -> AskedReview | None:
    """The options of mode review, None in any other mode. Raises UsageError for options of another mode."""
    if mode == MODE:
        return AskedReview(base, head, diff, include_dirty)
    given = [
        name
        for name, value in (
            ("--base", base),
            ("--head", head),
            ("--diff", diff),
        )
        if value is not None
    ]
    if given:
        raise UsageError(
            f"{', '.join(given)} belongs to mode review",
            why="only a review is of commits that are there already",
            fix="add --mode review",
        )
    return None


def review_request(subject: ReviewSubject) -> str:
    """The request of a review that nobody put into words."""
    return f"Review {subject.title}"


def _title(answer: JsonObject, diff: str | None) -> str:
    if diff is not None:
        return f"the patch {one_line(Path(diff).name, 80)} on {answer['head_name']}"
    return f"{answer['head_name']} since {answer['base_name']}"


def _words(answer: JsonObject, title: str) -> str:
    left = answer["left_out"]
    parts = [
        *([_many(answer["commits"], "commit")] if answer["commits"] else []),
        *(["what is not committed"] if answer["patch"] is not None and answer["commits"] else []),
        _many(answer["files"], "file"),
        *([f"{_many(left, 'file')} with uncommitted changes left out"] if left else []),
    ]
    return f"{title}: {', '.join(parts)}"


def _many(count: int, what: str) -> str:
    return f"{count} {what}{'' if count == 1 else 's'}"
