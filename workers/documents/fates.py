"""The ledger of a request: each of its blocks was taken as something, skipped for a reason, or not read.

It is made from what a discovery holds, whoever wrote it: an item belongs to the block that holds its words, or most of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Literal

from orchestrator.domain.dataclass import dataclass
from orchestrator.domain.patterns import expression
from orchestrator.domain.text import keywords
from workers.documents.accepted import most_like, named_places
from workers.documents.block_parts import statements
from workers.documents.content import (
    Content,
    Discovery,
    Fates,
    Line,
    StatedCriterion,
    StatedRequirement,
    Text,
)
from workers.documents.forms import form_of
from workers.documents.part_fates import DESCRIBES, left_in, plain
from workers.documents.passage import SKIPPED, Passage
from workers.documents.passages import passages
from workers.documents.shown_code import shown_code
from workers.documents.stack_traces import cited
from workers.documents.stated_data import stated_entities

MANUAL = "manual"  # form of a text that explains what exists: a request for what it says of it
PATH = "spec/request-ledger.json"
SHOWN = 200  # characters of a block that the ledger repeats
_LIKE = 0.6  # share of common words from which a block holds an item that no block holds word for word
_ID = expression(r"\b[A-Z]{1,6}-?\d+(?:\.\d+)*\b")
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
    "message": "the head or foot of a message",
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
    fate: Literal["taken", "partly", "skipped", "unread"]
    taken_as: tuple[Line, ...] = ()  # requirement R-003, goal, user ...
    reason: Text = ""  # why it was skipped
    left: tuple[Text, ...] = ()  # its statements that became nothing, word for word


class Ledger(Content):
    form: Text = ""  # as the discovery has it
    fates: Fates = Fates()
    entries: tuple[Entry, ...] = ()

    def unread(self) -> list[Entry]:
        """The blocks that were neither taken nor skipped for a reason."""
        return [entry for entry in self.entries if entry.fate == "unread"]

    def lost(self) -> list[str]:
        """What nobody took: the beginnings of unread blocks, and the statements left of those taken in part."""
        return [
            text
            for entry in self.entries
            for text in (entry.left or ((entry.text,) if entry.fate == "unread" else ()))
        ]


def read_ledger(value: object) -> Ledger | None:
    """The ledger from its file; None where a session has none yet."""
    return Ledger.model_validate(value) if isinstance(value, dict) else None


@dataclass(frozen=True, slots=True)
class Booked:
    """A discovery with the sources of its items, its ledger, and the source of each other text it holds."""

    discovery: Discovery
    ledger: Ledger
    sources: dict[str, str]


def book(request: str, discovery: Discovery) -> Booked:
    """The ledger of a request against a discovery, and the discovery with ids and sources filled in."""
    read = passages(request)
    finder = _Finder(read)
    taken: dict[str, list[str]] = {}
    held: dict[str, list[tuple[str, str]]] = {}  # block -> (kind, text) of what was found there
    sources: dict[str, str] = {}

    def take(kind: str, text: str, name: str = "") -> str:
        block = finder.find(kind, text)
        if block:
            line = f"{kind} {name}".strip()
            if line not in taken.setdefault(block, []):
                taken[block].append(line)
            held.setdefault(block, []).append((kind, text))
            sources.setdefault(text, block)
        return block

    rows = []
    for row in _named(discovery.requirements, read, finder):
        kind = row.kind if row.kind in ("constraint", "exclusion") else "requirement"
        rows.append(row.model_copy(update={"source": take(kind, row.text, row.id)}))
    of_block = {
        row.parent: row.id for row in reversed(rows) if row.parent
    }  # of a heading, the first below it
    of_block |= {row.source: row.id for row in reversed(rows) if row.source}
    rows = [
        row.model_copy(update={"parent": parent if parent != row.id else ""})
        for row in rows
        for parent in [of_block.get(row.parent, "")]
    ]
    goals = [goal.model_copy(update={"source": take("goal", goal.text)}) for goal in discovery.goals]
    for goal in goals:
        _also(take, "goal", goal.metric, goal.target, goal.baseline)
    risks = [risk.model_copy(update={"source": take("risk", risk.text)}) for risk in discovery.risks]
    for risk in risks:
        _also(take, "risk", risk.mitigation)
    done = [row.model_copy(update={"source": take("done", row.text)}) for row in discovery.done]
    told = {row.id: keywords(row.text) for row in rows if row.kind != "exclusion"}
    places = named_places(read)
    criteria = [
        _criterion(row, take("criterion", row.text), of_block, told, places) for row in discovery.acceptance
    ]
    for user in discovery.target_users:
        take("user", user.name)
        _also(take, "user", *user.needs)
    names = [user.name for user in discovery.target_users]
    for passage in read:  # who is named in several places is found in the first one
        if passage.role == "user" and any(name in passage.block.text for name in names):
            taken.setdefault(passage.block.id, ["user"])
    for kind, texts in (
        ("exclusion", discovery.exclusions),
        ("constraint", discovery.constraints),
        ("dependency", discovery.dependencies),
        ("question", discovery.open_questions),
        ("situation", discovery.situation),
    ):
        _also(take, kind, *(text for text in texts if text not in sources))
    evidence = {passage.block.id: cited(passage.block.text) for passage in read if passage.role == "code"}
    evidence |= {code.block: code.text for code in shown_code(read)}
    taken |= {block: ["evidence"] for block, told in evidence.items() if told in discovery.situation}
    kept = {
        name.casefold() for name in (*discovery.entities, *(entity.name for entity in discovery.data_model))
    }
    lost: set[str] = set()  # blocks of entities that the discovery has not
    for entity in stated_entities(read):
        if entity.name.casefold() not in kept:
            lost.update(entity.blocks)
        for block in entity.blocks if entity.name.casefold() in kept else ():
            taken.setdefault(block, []).append(f"entity {entity.name}")
    form = discovery.form or form_of(request, read)
    everything = "\n".join(plain(text) for (kind, text) in finder.known if kind != DESCRIBES)
    entries = [
        _entry(
            passage,
            taken.get(passage.block.id, []),
            form,
            () if form else left_in(passage, held.get(passage.block.id, ()), everything),
            owed=passage.block.id in lost and passage.role == "data",
        )
        for passage in read
    ]
    entries = finder.without_repeats(entries)
    fates = Fates(
        blocks=len(entries),
        **{
            fate: sum(entry.fate == fate for entry in entries)
            for fate in ("taken", "partly", "skipped", "unread")
        },
        left=[text for entry in entries for text in entry.left],
    )
    update = {
        "requirements": rows,
        "goals": goals,
        "risks": risks,
        "done": done,
        "acceptance": criteria,
        "fates": fates,
    }
    return Booked(
        discovery.model_copy(update=update), Ledger(form=form, fates=fates, entries=tuple(entries)), sources
    )


def _also(take: Callable[[str, str], str], kind: str, *texts: str) -> None:
    for text in texts:
        if text:
            take(kind, text)


def _named(
    rows: Sequence[StatedRequirement], read: Sequence[Passage], finder: _Finder
) -> list[StatedRequirement]:
    """The requirements with ids: their own where the request gives one, else a number."""
    own = {passage.block.id: passage.id for passage in read if passage.id}
    used: set[str] = {row.id for row in rows if row.id}
    named = []
    for number, row in enumerate(rows, 1):
        name = row.id or own.get(finder.find("requirement", row.text), "")
        if not name or (not row.id and name in used):
            name = f"R-{number:03d}"
        used.add(name)
        named.append(row.model_copy(update={"id": name}))
    return named


def _criterion(
    row: StatedCriterion,
    source: str,
    of_block: Mapping[str, str],
    told: Mapping[str, frozenset[str]],
    places: Mapping[str, str],
) -> StatedCriterion:
    """A criterion at its requirement: the one of its block, else the one that it names, else the one most like it.

    `told`: the words of each requirement. `places`: the criteria beside which theirs is named.
    """
    named = next((word for word in _ID.findall(row.text) if word in told), "")
    known = of_block.get(row.parent, row.parent if row.parent in told else "") or named
    words = keywords(row.text)
    strange = known in told and not named and source not in places and not words & told[known]
    like = most_like(words, told) if not known or strange else ""
    known = known or (next(iter(told)) if len(told) == 1 else "")
    return row.model_copy(update={"source": source, "parent": like or known})


class _Finder:
    """Finds the block that an item was taken from; items mostly follow each other as their blocks do."""

    def __init__(self, read: Sequence[Passage]) -> None:
        self.read = read
        self.texts = [" ".join(passage.block.text.split()) for passage in read]
        self.exact: dict[str, list[int]] = {}  # what a block says and no more -> the blocks that say it
        for at, passage in enumerate(read):
            for said in {self.texts[at], " ".join(passage.text.split())}:
                self.exact.setdefault(said, []).append(at)
        self.words: list[tuple[int, frozenset[str]]] = []  # of blocks, and of each of their statements
        self.at = 0
        self.known: dict[tuple[str, str], str] = {}

    def find(self, kind: str, text: str) -> str:
        """The id of the block; empty when none holds the item."""
        key = (kind, text)
        if key not in self.known:
            self.known[key] = self._find(kind, " ".join(text.split()))
        return self.known[key]

    def _find(self, kind: str, text: str) -> str:
        roles = _ROLES.get(kind, frozenset())
        whole = self.exact.get(text, [])
        holding = [at for at in self._order(whole) if text and (whole or text in self.texts[at])]
        best = next((at for at in holding if self.read[at].role in roles), holding[0] if holding else None)
        if best is None:
            best = self._alike(text, roles)
        if best is None:
            return ""
        self.at = best
        return self.read[best].block.id

    def _order(self, among: Sequence[int]) -> Iterator[int]:
        """All blocks, or those given, from where the last item was found on."""
        places = among or range(len(self.texts))
        yield from (at for at in places if at >= self.at)
        yield from (at for at in places if at < self.at)

    def _compared(self) -> Iterator[tuple[int, frozenset[str]]]:
        for at, passage in enumerate(self.read):
            said = statements(passage)
            yield from ((at, keywords(text)) for text in (self.texts[at], *(said if len(said) > 1 else ())))

    def without_repeats(self, entries: Sequence[Entry]) -> list[Entry]:
        """The entries; one that says nothing beyond what was found at, or skipped with, other blocks is skipped itself."""
        placed = {text: block for (_, text), block in self.known.items() if block}
        for text, places in self.exact.items():
            first = next((entries[at].id for at in places if entries[at].fate != "unread"), "")
            if first:
                placed.setdefault(text, first)
        longest = sorted(placed, key=len, reverse=True)
        return [
            entry
            if entry.fate != "unread" or not (told := _told_at(passage.text, longest, placed))
            else entry.model_copy(update={"fate": "skipped", "reason": f"repeats {told}"})
            for entry, passage in zip(entries, self.read, strict=True)
        ]

    def _alike(self, text: str, roles: frozenset[str]) -> int | None:
        wanted = keywords(text)
        if len(wanted) < 2:
            return None
        self.words = self.words or [*self._compared()]
        scored = [
            (2 * len(wanted & words) / (len(wanted) + len(words)), self.read[at].role in roles, -at)
            for at, words in self.words
            if words
        ]
        share, _, at = max(scored, default=(0.0, False, 0))
        return -at if share >= _LIKE else None


def _told_at(said: str, longest: Sequence[str], placed: Mapping[str, str]) -> str:
    """The block of the longest statement that a text repeats; empty when it has words beside those of `placed`."""
    said, found = " ".join(said.split()), ""
    for text in longest:
        if text and text in said:
            said, found = said.replace(text, " "), found or placed[text]
    return "" if any(c.isalnum() for c in said) else found


def _entry(passage: Passage, taken_as: list[str], form: str, left: tuple[str, ...], *, owed: bool) -> Entry:
    """What became of a block. `owed`: no role is a reason to leave it out."""
    block = passage.block
    reason = ""
    if not taken_as:
        reason = "" if owed else reason_of(passage)
        if form == MANUAL:
            reason = reason or _REASONS["instructions"]
        elif form:
            reason = f"the text is no request: {form}"
    return Entry(
        id=block.id,
        section=" > ".join(block.section)[:SHOWN],
        kind=block.kind,
        text=block.text[:SHOWN],
        fate=("partly" if left else "taken") if taken_as else "skipped" if reason else "unread",
        taken_as=tuple(taken_as),
        reason=reason,
        left=left if taken_as else (),
    )


def reason_of(passage: Passage) -> str:
    """Why a block is not carried by itself; empty when nothing says why."""
    if passage.role in _REASONS:
        return _REASONS[passage.role]
    if passage.block.kind == "heading":
        return "a heading"
    if passage.opens:
        return "introduces what follows"
    return "" if any(c.isalnum() for c in passage.text) else "no words"


def with_sources(found: dict[str, Any], sources: Mapping[str, str]) -> dict[str, Any]:
    """A discovery as plain values, its plain texts as `{text, source}`; a person named in the request has its block too."""
    for key in ("exclusions", "constraints", "dependencies", "open_questions"):
        found[key] = [{"text": text, "source": sources.get(text, "")} for text in found[key]]
    for user in found["target_users"]:
        user["source"] = sources.get(user["name"], user["source"])
    return found
