"""The ledger of a request: each of its blocks was taken as something, skipped for a reason, or not read.

It is made from what a discovery holds, whoever wrote it: an item belongs to the block that holds its words, or most of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from orchestrator.domain.text import keywords
from workers.documents.content import Content, Discovery, Fates, Line, StatedCriterion, StatedRequirement, Text
from workers.documents.forms import form_of
from workers.documents.passages import SKIPPED, Passage, passages

PATH = "spec/request-ledger.json"
SHOWN = 200  # characters of a block that the ledger repeats
_LIKE = 0.6  # share of common words from which a block holds an item that no block holds word for word
_ROLES = {  # where an item of a kind is looked for first
    "requirement": frozenset({"requirement", "use_case", "nonfunctional", "constraint", ""}),
    "exclusion": frozenset({"non_goal"}),
    "goal": frozenset({"goal", "metric"}),
    "user": frozenset({"user", "use_case"}),
    "criterion": frozenset({"acceptance"}),
    "risk": frozenset({"risk", "mitigation"}),
    "question": frozenset({"question"}),
    "dependency": frozenset({"dependency"}),
    "done": frozenset({"done"}),
}
_REASONS = {
    **SKIPPED,
    "code": "code",
    "front": "front matter",
    "commit": "stands before the text",
    "plan": "part of a plan: when, not what",
    "instructions": "explains how to use what exists",
    "done": "done already",
    "attribute": "describes the statement it stands in",
}


class Entry(Content):
    """What became of one block."""

    id: Line
    section: Text = ""  # the headings above it
    kind: Line  # heading, paragraph, item, row, code ...
    text: Text  # its beginning
    fate: Literal["taken", "skipped", "unread"]
    taken_as: list[Line] = []  # requirement R-003, goal, user ...
    reason: Text = ""  # why it was skipped


class Ledger(Content):
    form: Text = ""  # what the text is when it is no request: log, code, prompt, essay
    fates: Fates = Fates()
    entries: list[Entry] = []


@dataclass(frozen=True, slots=True)
class Booked:
    """A discovery with the sources of its items, its ledger, and the source of each other text it holds."""

    discovery: Discovery
    ledger: Ledger
    sources: dict[str, str]


def booked(request: str, discovery: Discovery) -> Booked:
    """The ledger of a request against a discovery, and the discovery with ids and sources filled in."""
    read = passages(request)
    finder = _Finder(read)
    taken: dict[str, list[str]] = {}
    sources: dict[str, str] = {}

    def book(kind: str, text: str, name: str = "") -> str:
        block = finder.find(kind, text)
        if block:
            line = f"{kind} {name}".strip()
            if line not in taken.setdefault(block, []):
                taken[block].append(line)
            sources.setdefault(text, block)
        return block

    rows = []
    for row in _named(discovery.requirements, read, finder):
        kind = row.kind if row.kind in ("constraint", "exclusion") else "requirement"
        rows.append(row.model_copy(update={"source": book(kind, row.text, row.id)}))
    of_block = {row.source: row.id for row in reversed(rows) if row.source}
    parents = {row.parent: of_block.get(row.parent, row.parent if row.parent in of_block.values() else "") for row in rows}
    rows = [row.model_copy(update={"parent": parents[row.parent]}) for row in rows]
    goals = [goal.model_copy(update={"source": book("goal", goal.text)}) for goal in discovery.goals]
    for goal in goals:
        _also(book, "goal", goal.metric, goal.target)
    risks = [risk.model_copy(update={"source": book("risk", risk.text)}) for risk in discovery.risks]
    for risk in risks:
        _also(book, "risk", risk.mitigation)
    done = [row.model_copy(update={"source": book("done", row.text)}) for row in discovery.done]
    criteria = [_criterion(row, book("criterion", row.text), of_block) for row in discovery.acceptance]
    for user in discovery.target_users:
        book("user", user.name)
        _also(book, "user", *user.needs)
    for kind, texts in (
        ("exclusion", discovery.exclusions),
        ("constraint", discovery.constraints),
        ("dependency", discovery.dependencies),
        ("question", discovery.open_questions),
        ("situation", discovery.situation),
    ):
        _also(book, kind, *(text for text in texts if text not in sources))
    form = discovery.form or form_of(request, read)
    entries = [_entry(passage, taken.get(passage.block.id, []), form) for passage in read]
    fates = Fates(
        blocks=len(entries),
        **{fate: sum(entry.fate == fate for entry in entries) for fate in ("taken", "skipped", "unread")},
    )
    update = {"requirements": rows, "goals": goals, "risks": risks, "done": done, "acceptance": criteria, "fates": fates}
    return Booked(discovery.model_copy(update=update), Ledger(form=form, fates=fates, entries=entries), sources)
