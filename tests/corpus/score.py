"""How well items carry labels: precision and recall by kind, and what else the issue asks for."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from tests.corpus.given import Given, Item
from tests.corpus.labelled import KINDS, Document, Label
from tests.corpus.matching import MINIMUM, match, similarity

T = TypeVar("T")
ASKED = ("requirement", "nfr", "constraint")
OUTCOMES = ("goal", "metric")  # the product has one kind for both
SINGLE = ("non_goal", "user", "acceptance", "dependency", "risk", "open_question")
ROWS = (*(kind for kind in KINDS if kind != "done"), "asked for")
GENERIC = {"user", "users", "用户", "使用者", "benutzer", "utilisateurs", "usuarios", "利用者"}


@dataclass(slots=True)
class Count:
    """Labels, items, and pairs of both; a share of labels alone leaves `found` at 0."""

    labelled: int = 0
    found: int = 0
    matched: int = 0

    @property
    def recall(self) -> float | None:
        return self.matched / self.labelled if self.labelled else None

    @property
    def precision(self) -> float | None:
        return self.matched / self.found if self.found else None

    def add(self, other: Count) -> None:
        self.labelled += other.labelled
        self.found += other.found
        self.matched += other.matched


@dataclass(slots=True)
class Score:
    """Counts of one document or of many."""

    kinds: dict[str, Count] = field(default_factory=lambda: {kind: Count() for kind in ROWS})
    targets: Count = field(default_factory=Count)  # labels with a target; items that give it
    categories: Count = field(default_factory=Count)  # carried labels with a category; right ones
    priorities: Count = field(default_factory=Count)  # carried labels with a priority; right ones
    parents: Count = field(default_factory=Count)  # carried criteria with a parent; at the right requirement
    told: Count = field(default_factory=Count)  # documents; those taken for what they are
    unread: list[int | None] = field(default_factory=list)  # of each document, blocks without a fate
    done: int = 0
    done_as_open: int = 0
    missed: list[Label] = field(default_factory=list)
    false: list[Item] = field(default_factory=list)

    def add(self, other: Score) -> None:
        for kind, count in other.kinds.items():
            self.kinds[kind].add(count)
        for name in ("targets", "categories", "priorities", "parents", "told"):
            getattr(self, name).add(getattr(other, name))
        self.unread += other.unread
        self.done += other.done
        self.done_as_open += other.done_as_open

    def figures(self) -> dict[str, float | None]:
        """Name -> value, as thresholds.yaml names them; None where there is nothing to measure."""
        shares: dict[str, float | None] = {}
        for kind, count in self.kinds.items():
            shares[f"{kind} precision"], shares[f"{kind} recall"] = count.precision, count.recall
        return {
            **shares,
            "goals with target": self.targets.recall,
            "nfr category": self.categories.recall,
            "priority": self.priorities.recall,
            "criteria at their requirement": self.parents.recall,
            "requests told from others": self.told.recall,
            "done as open": float(self.done_as_open),
            "blocks without a fate": self._unread(),
        }

    def _unread(self) -> float | None:
        known = [count for count in self.unread if count is not None]
        return float(sum(known)) if known and len(known) == len(self.unread) else None


def score(document: Document, given: Given) -> Score:
    """One document's score. An item that is found twice counts as false the second time."""
    made = Score(unread=[given.unread])
    items = [item for item in given.items if item.kind != "user" or item.text.lower() not in GENERIC]
    for kinds in (ASKED, OUTCOMES, *((kind,) for kind in SINGLE)):
        labels = [label for label in document.labels if label.kind in kinds]
        answers = [item for item in items if item.kind in kinds]
        found = match([label.quote for label in labels], [item.text for item in answers])
        pairs = [(labels[at], answers[by]) for at, by in found]
        _count(made, kinds, labels, answers, pairs)
        _attributes(made, labels, pairs)
        made.missed += _rest(labels, (at for at, _ in found))
        made.false += _rest(answers, (by for _, by in found))
    _done(made, [label for label in document.labels if label.kind == "done"])
    as_request = any(item.kind in (*ASKED, *OUTCOMES) for item in items)
    made.told = Count(labelled=1, matched=int(as_request == document.is_request))
    return made


def _count(
    made: Score,
    kinds: Sequence[str],
    labels: Sequence[Label],
    answers: Sequence[Item],
    pairs: Sequence[tuple[Label, Item]],
) -> None:
    if kinds == ASKED:
        made.kinds["asked for"].add(Count(len(labels), len(answers), len(pairs)))
    for kind in kinds:
        row = made.kinds[kind]
        row.labelled += sum(label.kind == kind for label in labels)
        if kinds == OUTCOMES:  # items are goals all: one that matches a metric is no false goal
            matched = sum(label.kind == kind for label, _ in pairs)
            row.matched += matched
            row.found += len(answers) - len(pairs) + matched if kind == "goal" else 0
        else:
            row.matched += sum(label.kind == kind == item.kind for label, item in pairs)
            row.found += sum(item.kind == kind for item in answers)


def _attributes(made: Score, labels: Iterable[Label], pairs: Iterable[tuple[Label, Item]]) -> None:
    made.targets.labelled += sum(bool(label.target) for label in labels)
    for label, item in pairs:
        made.targets.matched += bool(label.target) and similarity(label.target, item.target) >= MINIMUM
        for count, wanted, got in (
            (made.categories, label.nfr, item.nfr),
            (made.priorities, label.priority if label.kind in ASKED else "", item.priority),
        ):
            count.labelled += bool(wanted)
            count.matched += bool(wanted) and wanted == got
        if label.kind == "acceptance" and label.parent:
            made.parents.labelled += 1
            made.parents.matched += similarity(label.parent, item.parent) >= MINIMUM


def _done(made: Score, labels: Sequence[Label]) -> None:
    """Finished things among what is given as a wish or a goal."""
    open_items = [item.text for item in made.false if item.kind in (*ASKED, "goal")]
    made.done = len(labels)
    made.done_as_open = len(match([label.quote for label in labels], open_items))


def _rest(rows: Sequence[T], taken: Iterable[int]) -> list[T]:
    used = set(taken)
    return [row for at, row in enumerate(rows) if at not in used]


def unmet(figures: Mapping[str, float | None], thresholds: Mapping[str, Mapping[str, float]]) -> list[str]:
    """The thresholds that are not met, in words; what is not measured is not met."""
    found = []
    for bound, rows in thresholds.items():
        for name, limit in rows.items():
            value = figures[name]
            met = value is not None and (value >= limit if bound == "at_least" else value <= limit)
            if not met:
                shown = "not measured" if value is None else f"{value:.3f}"
                found.append(f"{name}: {shown}, {bound.replace('_', ' ')} {limit:g}")
    return found
