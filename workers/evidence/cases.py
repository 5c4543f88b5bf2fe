"""What single tests came to, as a runner's report has it."""

from __future__ import annotations

from collections.abc import Mapping

from orchestrator.domain.dataclass import dataclass, field
from orchestrator.domain.evidence import ERROR, FAILED, PASSED, SKIPPED
from orchestrator.domain.inert import inert
from workers.evidence.error_text import shortened

MAX_CASES = 200_000
MAX_ID = 1_000  # characters
MAX_MESSAGE = 2_000
BUILD = "the build"  # stands for all tests where nothing compiles
_WORST_FIRST = (ERROR, FAILED, SKIPPED, PASSED)


@dataclass(frozen=True, slots=True)
class Case:
    """One test: `id` is the same in every run, whatever the folder of the tree."""

    id: str
    outcome: str
    message: str = ""  # why it failed or was skipped; untrusted text, made harmless
    file: str = ""  # below the tree; empty when the report does not tell


@dataclass(frozen=True, slots=True)
class Cases:
    """The tests of one report by id, and why the report cannot be read, if so."""

    by_id: Mapping[str, Case] = field(default_factory=dict)
    faults: tuple[str, ...] = ()


class CaseList:
    """Gathers the cases of one report; an id met twice keeps its worst outcome."""

    def __init__(self) -> None:
        self._cases: dict[str, Case] = {}
        self._faults: list[str] = []

    def add(self, id: str, outcome: str, message: str = "", file: str = "") -> None:
        id = one_line(id)
        if not id:
            self.fault("the report has a test without a name")
            return
        if len(id) > MAX_ID:  # cut in the middle would make two tests one
            self.fault(f"the report has a test whose name is longer than {MAX_ID} characters")
            return
        known = self._cases.get(id)
        if known is None and len(self._cases) >= MAX_CASES:
            self.fault(f"the report has more than {MAX_CASES} tests")
            return
        if known is None or _WORST_FIRST.index(outcome) < _WORST_FIRST.index(known.outcome):
            self._cases[id] = Case(id, outcome, inert(shortened(message, MAX_MESSAGE)), one_line(file))

    @property
    def is_full(self) -> bool:
        """Whether more cases were offered than are kept: reading on is of no use."""
        return len(self._cases) >= MAX_CASES and bool(self._faults)

    def fault(self, text: str) -> None:
        if text not in self._faults:
            self._faults.append(text)

    def merge(self, other: Cases) -> None:
        for case in other.by_id.values():
            self.add(case.id, case.outcome, case.message, case.file)
        for text in other.faults:
            self.fault(text)

    def done(self) -> Cases:
        return Cases(dict(self._cases), tuple(self._faults))


def one_line(text: str) -> str:
    """`text` as a single harmless line: line breaks and control characters are written out."""
    return inert(text).replace("\n", "\\n").replace("\t", "\\t").strip()
