"""How commits travel between the project's machine and a host elsewhere: as git bundles, each by its SHA-256.

    lend      what a run needs to know of its session's commits, and a bundle of those that its machine lacks
    hand in   one commit of a run, as a bundle on top of its base; the project's machine checks it before it counts

A bundle comes in parts, so that a question stays small and an upload that was cut off goes on. The same request again
gives the same.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Final, Protocol

from orchestrator.domain.dataclass import dataclass
from orchestrator.store.rows import Run

PART_BYTES: Final = (
    512 << 10
)  # of a bundle, in one request: in base64 too it is less than most proxies pass, 1 MiB
LARGEST_PART: Final = 1 << 20  # that is taken: what earlier versions send
LARGEST_BUNDLE: Final = 100 << 20  # bytes that a run may hand in at a time
MOST_OBJECTS: Final = 100_000  # in such a bundle
MOST_HAD: Final = 256  # commits that a host names as its own
RECEIVED: Final = "received"  # the kind of check that says: this commit is in the session's store, by its id
OPERATIONS: Final = ("lend", "lent-part", "part", "hand-in")  # of the door beside those of the desk


@dataclass(frozen=True, slots=True)
class Lent:
    """What a run knows of its session's commits."""

    base: str
    origin: str  # of the base: repository or snapshot
    left_out: int  # changed files of the user's that are not in the base
    nested: Sequence[str]  # repositories that a snapshot leaves out
    tips: Sequence[str]  # commits that the run needs, with all that they reach
    object_format: str
    conversions: Mapping[str, str]  # how files are written to a work tree
    shallow: str | None  # as git's file of that name
    sparse: str | None  # the patterns of a sparse checkout, as git's file
    cone: bool
    sha256: str | None  # of the bundle; None where nothing is lacking
    bytes: int


class CodeCarrier(Protocol):
    """Both raise LifecycleError as the project's machine does, LeaseLost for a run that is not the host's own any more."""

    def lend(self, run: Run, have: Sequence[str], to: Path, is_over: Callable[[], bool]) -> Lent:
        """What the run needs, and in the file `to` the bundle, if there is one; its digest was checked."""

    def hand_in(self, run: Run, bundle: Path, base: str, commit: str, tree: str) -> None:
        """Bring a commit of the run to the session's store, where it can be proposed and land from now on."""
