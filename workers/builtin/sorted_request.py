"""What the statements of a request were sorted into, and how each is kept."""

from __future__ import annotations

import re
from collections.abc import Sequence

from orchestrator.domain.dataclass import replace
from orchestrator.domain.patterns import expression
from workers.builtin import cues
from workers.builtin.analysis import Criterion, Goal, Kind, Need, Risk
from workers.builtin.clauses import Clause, clause, first_modal
from workers.builtin.defects import Report, report_of
from workers.builtin.framing import from_wish_on
from workers.builtin.goals import goal_of, two_goals
from workers.builtin.manuals import is_manual
from workers.builtin.people import actor_name, is_person
from workers.builtin.phrases import without_lead
from workers.builtin.qualities import kind_of, quality_of
from workers.builtin.users import Users
from workers.builtin.wishes import doer_of, imperative
from workers.documents.content import Moscow
from workers.documents.lexicon import Lexicon, lexicon_of
from workers.documents.passage import ASKED, Passage
from workers.documents.reading_words import says
from workers.documents.sentences import Sentence

_PRONOUN = expression(r"(?:they|he|she|and)\s", re.IGNORECASE)
PRONOUNS = frozenset({"they", "she", "he"})


_OPENING = 4  # statements in which a request says what it wants made


class SortedRequest:
    """The statements of one request, each in the list of what it is."""

    def __init__(self, found: list[Sentence], read: Sequence[Passage] = ()) -> None:
        self.found = found = from_wish_on(found)
        self.passages = read
        self.listed = {(row.passage.block.section, row.role) for row in found if row.item}
        levels = [passage.block.level for passage in read if passage.block.kind == "heading"]
        several = bool(levels) and levels.count(min(levels)) > 1  # none of them is the title
        self.opens_with_wish = any(
            not row.item and lexicon_of(row.text).find("makes", row.text) for row in found[:_OPENING]
        )
        opens = self.opens_with_wish or any(
            row.role == "" and not row.item and imperative(row.text, lexicon_of(row.text))
            for row in found[:_OPENING]
        )
        # what is asked for has a part of its own, so that the opening only tells what is today
        self.rich = any(row.role in (ASKED if opens else ASKED | {"constraint"}) for row in found)
        self.topic_depth = (1 if several else 2) if self.rich or self.opens_with_wish else 0
        self.manual = is_manual(found, read)
        self.needs: list[Need] = []
        self.goals: list[Goal] = []
        self.risks: list[Risk] = []
        self.criteria: list[Criterion] = []
        self.users = Users(found, read)
        self.situation: list[str] = []
        self.problems: list[str] = []  # of these, what stands in a section about the problem
        self.dependencies: list[str] = []
        self.questions: list[str] = []
        self.done: list[str] = []
        self.about = ""  # the block of the last sentence about the document itself
        self.risk_of = ("", "")  # block and sentence of the last risk: what its block says next is about it
        self.other: list[Sentence] = []
        self.report: Report | None = None if self.manual else report_of(found, read)

    def _situated(self, row: Sentence, lex: Lexicon) -> bool:
        self.situation.append(row.text)
        if row.role == "problem":
            self.problems.append(row.text)
        self.other.append(row)
        return True

    def _wanted(self, row: Sentence, lex: Lexicon) -> bool:
        if lex.find("makes", row.text) or cues.uses(row, lex, rich=self.rich):
            return self._need(row, lex, by_default=True)
        self.goals += [goal_of(piece, lex) for piece in two_goals(row.text, lex)]
        self.other.append(row)
        return True

    def _limit(self, row: Sentence, lex: Lexicon) -> bool:
        return self._need(row.within("constraint"), lex, by_default=True)

    def _need(
        self, row: Sentence, lex: Lexicon, *, by_default: bool = False, exclusion: bool = False
    ) -> bool:
        row = replace(row, text=without_lead(row.text))
        known = tuple(self.users.named)
        name, said = cues.led_by_name(row)
        taken = clause(said, known)
        modal = first_modal(row.text, lex)
        passage = row.passage
        if (
            modal
            and not row.priority
            and cues.grants(row.text, lex, modal, taken.actor or passage.values.get("user", ""))
        ):
            modal = None
            by_default = False
        if not taken.actor and (role := self.users.role_of(taken.subject)):
            taken = replace(taken, actor=role)
        if not taken.actor and self.needs:
            taken = replace(taken, actor=self._meant(row, taken))
        moscow: Moscow = "Won't" if exclusion else (row.priority or (modal[0] if modal else "Must"))  # type: ignore[assignment]
        category = quality_of(row, lex)
        due = row.role == "constraint" and says("due", row.text)
        kind: Kind = "exclusion" if exclusion else "constraint" if due else kind_of(row, lex, taken, category)
        if name and kind == "nonfunctional" and category in ("P", "SC") and row.role in ("", "requirement"):
            kind = "functional"  # a feature with a number in it
        category = category if kind == "nonfunctional" else ""
        given = row.priority or (modal[0] if modal and not exclusion else "")
        self.needs.append(
            Need(
                row.text,
                row.quote,
                kind,
                moscow,
                category,
                taken,
                by_default and not modal,
                block=passage.block.id,
                parent=passage.parent,
                title=passage.title or name,
                given=given,
                release=passage.release,
            )
        )
        if not exclusion and not self.manual:
            self.users.acting(row, lex)
        return True

    def _meant(self, row: Sentence, taken: Clause) -> str:
        """The people whom `they` stands for, named by the statement before; empty where it names none."""
        last = self.needs[-1]
        if _PRONOUN.match(row.text) and last.quote == row.quote:
            return last.clause.actor
        if taken.subject.lower() not in PRONOUNS or last.kind == "exclusion":
            return ""
        doer = last.clause.actor or doer_of(last.text, lexicon_of(last.text))
        return actor_name(doer) if doer and is_person(doer, lexicon_of(last.text)) else ""

    def _mitigated(self, passage: Passage, text: str) -> None:
        """A mitigation stays with its risk; it is asked for as well when it says that it must be done."""
        at = next(
            (
                i
                for i in reversed(range(len(self.risks)))
                if not self.risks[i].mitigation or self.risks[i].mitigation == text
            ),
            None,
        )
        if at is not None and passage.role == "mitigation":
            self.risks[at] = replace(self.risks[at], mitigation=text)
        modal = first_modal(text, lexicon_of(text))
        if modal and modal[0] == "Must":  # `should cover the time` only expects something
            row = Sentence(text, text, replace(passage, role="requirement", title=""))
            self._need(row, lexicon_of(text))
