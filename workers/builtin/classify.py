"""Sorts sentences: requirement, limit, exclusion, goal, actor, dependency, question, or a description of the present.

The order of the rules is the order of trust: what the section says (its heading or label), then what the sentence says
(modal verbs, exclusions, questions), then its form (imperative, measured).
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from orchestrator.domain.dataclass import replace
from orchestrator.domain.patterns import expression
from orchestrator.domain.text import is_cjk, keywords
from workers.builtin import cues
from workers.builtin.analysis import Criterion, Goal, Kind, Need, Risk
from workers.builtin.clauses import clause, first_modal
from workers.builtin.defects import (
    Report,
    plainly_broken,
    report_of,
    tells_defect,
    turned_round,
    wanted_parts,
)
from workers.builtin.framing import from_wish_on, introduces, is_background, told_today, under_topic
from workers.builtin.language import Lexicon, lexicon_of
from workers.builtin.leads import is_answer
from workers.builtin.manuals import is_manual, promised, subject_of
from workers.builtin.people import actor_name, people_in, people_named
from workers.builtin.phrases import TRIM
from workers.builtin.polite import polite_wish
from workers.builtin.qualities import category_of, kind_of, quality_of
from workers.builtin.remainder import remainder
from workers.builtin.sentences import Sentence
from workers.builtin.users import Users
from workers.builtin.users_in_prose import AWAY
from workers.builtin.wishes import (
    CONDITION,
    doer_of,
    goal_in,
    goal_of,
    imperative,
    two_goals,
    two_wishes,
)
from workers.documents import audience
from workers.documents.content import Moscow
from workers.documents.passage import ASKED, Passage
from workers.documents.ranks import ranks
from workers.documents.reading_words import label_role, priority_of
from workers.documents.shown_code import shown_code
from workers.documents.stated_name import called_name
from workers.documents.technologies import refuses
from workers.documents.trouble import tells_of_better, tells_trouble

_TOLD = 30  # words from which an item about users tells of several
_SAID_IN_MANUAL = 5  # first sentences of a manual that stand for the request when nothing in it is asked for
_NAMING = 9  # words below which a sentence only says what the thing is called
_UNASKED = frozenset(
    {"question", "acceptance", "risk", "user", "metric", "non_goal"}
)  # where a question is one
_PRONOUN = expression(r"(?:they|he|she|and)\s", re.IGNORECASE)


class Reader:
    """Reads the sentences of one request in order and sorts them."""

    def __init__(self, found: list[Sentence], read: Sequence[Passage] = ()) -> None:
        self.found = found = from_wish_on(found)
        self.passages = read
        self.listed = {(row.passage.block.section, row.role) for row in found if row.item}
        self.rich = any(row.role in ASKED or row.role == "constraint" for row in found)
        self.manual = is_manual(found, read)
        self.needs: list[Need] = []
        self.goals: list[Goal] = []
        self.risks: list[Risk] = []
        self.criteria: list[Criterion] = []
        self.users = Users(found, read)
        self.situation: list[str] = []
        self.dependencies: list[str] = []
        self.questions: list[str] = []
        self.done: list[str] = []
        self.about = ""  # the block of the last sentence about the document itself
        self.risk_of = (
            "",
            "",
        )  # block and sentence of the last risk; what its block says next is about that risk
        self.other: list[Sentence] = []
        self.report: Report | None = None if self.manual else report_of(found, read)

    def sort(self) -> None:
        """Sort the sentences alone: none becomes a wish because there is no other."""
        for row in self.found:
            for piece in two_wishes(row):
                self._one(piece, lexicon_of(piece.text))

    def read(self) -> None:
        self.sort()
        self._unsaid()
        self._beside_needs()
        if not self.manual:
            self.users.told(self.found)
            said = [need.text for need in self.needs if need.kind != "exclusion"]
            self.users.mentioned([*said, *(row.text for row in self.criteria)])
        told = subject_of(self.found) if self.manual else None
        if told and told[1].text not in self.situation:
            self.situation.insert(0, told[1].text)
        if not any(need.kind != "exclusion" for need in self.needs):
            self._mended()
        if not any(need.kind != "exclusion" for need in self.needs):
            stated = promised(self.found, told[0]) if told else []
            other = [row for row in self.other if not tells_trouble(row.text)] or self.other
            for row in (
                stated or other[: _SAID_IN_MANUAL if self.manual else None]
            ):  # a request without one wish in it: its statements are what there is
                self._need(row, lexicon_of(row.text), by_default=True)
                if row.text in self.situation:
                    self.situation.remove(row.text)
        self._shown()
        self._ranked()
        if not self.manual:  # what a manual explains is skipped for that reason
            self.situation += remainder(self.found, self.passages, self._said(), [*self.users.named])

    def _mended(self) -> None:
        """Of a report without a wish, and of a sentence that only says what is broken, what shall hold instead."""
        defects = [(self.report.defect, self.report.error)] if self.report else []
        defects += [(row.text, "") for row in self.other if not defects and plainly_broken(row.text)]
        for text, error in defects[:1]:
            wanted = turned_round(text, error)
            passage = next((one for one in self.passages if text in one.block.text), None)
            if wanted and passage is not None:
                row = Sentence(wanted, text, replace(passage, role="requirement", title=""))
                self._need(row, lexicon_of(wanted))
                self.needs[-1] = replace(self.needs[-1], kind="functional", category="")

    def _shown(self) -> None:
        """The steps of a report are a criterion of what it wants; what its traces name is evidence, as is code pointed to."""
        for code in () if self.manual else shown_code(self.passages):
            self.situation.append(code.text)
            if code.differs:
                lex = lexicon_of(code.sentence)
                self.questions.append(lex.say("ask_count", text=code.sentence, lines=str(code.lines)))
        if self.report is None:
            return
        self.situation += [text for text in self.report.evidence if text not in self.situation]
        first = next((at for at, need in enumerate(self.needs) if need.kind == "functional"), None)
        if first is None:
            return
        need = self.needs[first]
        lex = lexicon_of(need.text)
        if self.report.steps:
            steps = "; ".join(text.rstrip(TRIM) for text in self.report.steps)
            shown = lex.say("criterion_steps", steps=steps, text=need.text.rstrip(TRIM))
        elif self.report.heading and self.report.error:
            shown = lex.say("criterion_code", heading=self.report.heading, error=self.report.error)
        else:
            return
        self.needs[first] = replace(need, shown=shown)

    def _ranked(self) -> None:
        """Give each requirement the priority that a line gives it by name."""
        lines = [passage.block.text for passage in self.passages if passage.role == "attribute"]
        own = {passage.block.id for passage in self.passages if passage.priority}
        for name, given in (pair for text in (*lines, *self.situation) for pair in ranks(text)):
            words = keywords(name)
            shares = [
                (len(words & keywords(f"{need.title} {need.text}")), -at)
                for at, need in enumerate(self.needs)
            ]
            share, at = max(shares, default=(0, 0))
            need = self.needs[-at] if words and 2 * share > len(words) else None
            if need is not None and need.kind != "exclusion" and need.block not in own:
                self.needs[-at] = replace(need, moscow=given, given=given, by_default=False)  # type: ignore[arg-type]

    def _said(self) -> set[str]:
        """Every text that was recorded."""
        return {
            *self.situation,
            *self.dependencies,
            *self.questions,
            *self.done,
            *(text for need in self.needs for text in (need.text, need.quote)),
            *(goal.text for goal in self.goals),
            *(row.text for row in self.criteria),
            *(text for risk in self.risks for text in (risk.text, risk.mitigation)),
            *self.users.told_across,
            *(text for texts in self.users.named.values() for text in texts),
        }

    def _unsaid(self) -> None:
        """What passages say without a sentence: what is done, what a mitigation asks for, features of a heading alone."""
        carried = {need.block for need in self.needs} | {need.parent for need in self.needs}
        said = {"done", "data", *ASKED}
        carried |= {passage.parent for passage in self.passages if passage.role in said}
        topics = {name for passage in self.passages if passage.role in said for name in passage.block.section}
        rows = [*self.passages]
        for passage in rows:
            if passage.role == "done" and not passage.opens and passage.text:
                self.done.append(passage.text)
                lex = lexicon_of(passage.text)
                if story := lex.find("as_a", passage.text):  # who has it is a user of the whole
                    self.users.known(actor_name(next(group for group in story.groups() if group)))
                    self.users.acting(Sentence(passage.text, passage.text, passage), lex)
            elif (
                passage.role == "goal"
                and passage.block.kind == "heading"
                and len(passage.text.split()) > 1
                and passage.block.id not in carried
            ):
                self.goals.append(goal_of(passage.text, lexicon_of(passage.text)))
            elif passage.role == "mitigation" and not passage.opens:
                self._mitigated(passage, passage.text)
            elif passage.role == "risk" and passage.values.get("mitigation"):
                self._mitigated(passage, passage.values["mitigation"])
            if passage.role in ASKED and passage.values.get("criterion"):
                texts = re.split(r"\s*(?:<br ?/?>|[;；]|•)\s*", passage.values["criterion"])
                self.criteria += [
                    Criterion(text, passage.block.id) for text in texts if re.search(r"\w", text)
                ]
            if (
                passage.role in ASKED
                and passage.block.kind == "heading"
                and (passage.title or (passage.block.id not in carried and passage.block.text not in topics))
            ):
                row = Sentence(passage.text, passage.text, passage, priority=passage.priority)
                wont = passage.priority == "Won't"
                self._need(row, lexicon_of(row.text), by_default=True, exclusion=wont)
        order = {passage.block.id: at for at, passage in enumerate(rows)}
        self.needs.sort(key=lambda need: order.get(need.block, -1))

    def _beside_needs(self) -> None:
        """Items of a list without a role are asked for when most of the list is."""
        asked = {need.block for need in self.needs}
        lists: dict[tuple[tuple[str, ...], str], list[Sentence]] = {}
        for row in self.found:
            if row.passage.block.kind == "item" and not row.role and not row.passage.parent:
                lists.setdefault((row.passage.block.section, row.passage.block.lead), []).append(row)
        for rows in lists.values():
            taken = {row.passage.block.id for row in rows if row.passage.block.id in asked}
            left = [row for row in rows if row.text in self.situation]
            if left and not self.manual and 2 * len(taken) >= len({row.passage.block.id for row in rows}):
                for row in left:
                    if row.text in self.situation:  # it may stand there once for two rows
                        self.situation.remove(row.text)
                    self._need(row, lexicon_of(row.text), by_default=True)
        order = {row.passage.block.id: at for at, row in enumerate(self.found)}
        self.needs.sort(key=lambda need: order.get(need.block, -1))

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

    def _one(self, row: Sentence, lex: Lexicon) -> None:
        text, role, values = row.text, row.role, row.passage.values
        if not re.search(r"\w", text):
            return
        block = row.passage.block.id
        about = cues.ABOUT_TEXT.match(text) or (block == self.about and cues.SAYS_OF_TEXT.match(text))
        if about and role != "question":
            self.about = block
            self._situated(row, lex)
            return
        if self.report and role in ("", "background") and tells_defect(text):
            self._situated(row, lex)
            return
        parts = wanted_parts(text) if role in ("", "background", "problem", *ASKED) else []
        if parts:
            for part in parts:
                self._need(replace(row, text=part), lex, by_default=True)
            return
        if role in ("", "background", "user", *ASKED) and block != self.about and self._addressed(row, lex):
            return
        if role in ("", "background") and called_name(text) and len(text.split()) < _NAMING:
            self._situated(row, lex)
            return
        if ranks(text):
            self._situated(row, lex)
            return
        unclear = cues.CLARIFY.search(text)
        if unclear:
            self.questions.append(unclear[1])
            text = text[: unclear.start()] or text
            row = replace(row, text=text)
        if role == "risk" and block == self.risk_of[0] and row.passage.label and row.quote != self.risk_of[1]:
            self._mitigated(replace(row.passage, role="mitigation"), text)
            return
        if role == "risk":
            self.risk_of = (block, row.quote)
            said, against = cues.answered_risk(text)
            self.risks.append(Risk(said, values.get("mitigation", "") or against))
            if against:
                self._mitigated(replace(row.passage, values={}), against)
            return
        if (not row.item or role == "") and role not in ("problem", "user") and lex.find("afraid", text):
            self.risks.append(Risk(text))
            return
        story = (
            row.priority and lex.find("as_a", text) is not None
        )  # of its own, below the criteria of another
        if role == "acceptance" and not story:
            self.criteria.append(Criterion(text, row.passage.parent))
            return
        if role in ("", *ASKED) and self.needs and (shown := cues.EXAMPLE.match(text)):
            self.criteria.append(Criterion(shown["said"], self.needs[-1].block))
            return
        if role in ("", "background", "constraint", *ASKED) and cues.DUE.match(text):
            self._need(replace(row, passage=replace(row.passage, role="constraint")), lex, by_default=True)
            return
        polite = polite_wish(text) if role not in _UNASKED else None
        if polite:
            if polite.why:
                self.situation.append(polite.why)
            given = row.priority or ("Must" if polite.firm else "")
            self._need(replace(row, text=polite.text, priority=given), lex, by_default=True)
            return
        if (role not in ("question", "acceptance") and cues.MAKES_HAN.match(text)) or (
            role in ("", *ASKED) and cues.PROPOSES.match(text)
        ):
            self._need(row, lex, by_default=True)
            return
        if role not in ASKED and cues.OFFERS.match(text):
            self._situated(row, lex)
            return
        asks = text.rstrip().endswith(("?", "？"))
        if role == "question" and not row.item and not asks and lex.find("limits", text):
            self._need(replace(row, passage=replace(row.passage, role="constraint")), lex, by_default=True)
            return
        if role == "question" and not row.item and not asks and lex.find("refused", text):
            self._need(row, lex, exclusion=True)
            return
        if role == "question" or asks or lex.find("question", text):
            self.questions.append(row.quote)
            return
        if role in ("", "constraint", "nonfunctional", "dependency", *ASKED) and (
            cues.MEANS.match(text) or refuses(text)
        ):
            self._need(replace(row, passage=replace(row.passage, role="constraint")), lex, by_default=True)
            return
        if role in ("", "background", "constraint", *ASKED) and cues.UNCHANGED.match(text):
            self._need(replace(row, passage=replace(row.passage, role="constraint")), lex, by_default=True)
            return
        if role == "non_goal" and cues.comments(row, lex):
            self._situated(row, lex)
            return
        if role == "non_goal" and cues.is_for_later(row, lex):
            row = replace(row, passage=replace(row.passage, role="requirement"))
            role = row.role
        if (
            role in ("", "constraint", "nonfunctional", *ASKED)
            and not self.manual
            and cues.forbids(text, lex)
        ):
            self._need(row, lex, by_default=True)
            return
        if role == "non_goal" or row.priority == "Won't" or cues.excludes(row, lex, manual=self.manual):
            self._need(replace(row, text=cues.without_reason(text)), lex, exclusion=True)
            relied = lex.find("dependency", text) if role != "non_goal" else None
            if relied and not cues.DENIED.search(text[: relied.start()]):
                self.dependencies.append(text)
            return
        if values.get("in_scope") and values.get("non_goal"):
            self._need(replace(row, text=values["non_goal"], quote=values["non_goal"]), lex, exclusion=True)
        modal = first_modal(text, lex)
        if modal and not row.priority and cues.INSISTS.search(text):
            row = replace(row, priority="Must")
        acts = doer_of(text, lex) or (is_cjk(text) and people_in(text, lex))
        if role == "goal" and is_answer(row.passage) and acts and not tells_of_better(text):
            self._need(replace(row, passage=replace(row.passage, role="requirement")), lex, by_default=True)
            return  # asked what should be better, its author says what people will do
        measured = role == "metric" and goal_of(text, lex).target != ""
        if not modal and not measured and introduces(row, lex, self.listed):
            self._situated(row, lex)
            return
        if role == "metric" and row.item and cues.is_test(row):
            self.criteria.append(Criterion(text, row.passage.parent))
            return
        if (
            role in ("goal", "metric")
            or (role in ("", "background", "problem") and cues.reaches(row, lex))
            or (not row.item and cues.TO_REACH.search(text) and goal_of(text, lex).target)
            or cues.SUCCESS.search(row.quote)
            or (role in ("background", "problem") and cues.HOPED.search(text))
            or (role in ("", "background", "problem") and not row.passage.id and cues.NO_LONGER.search(text))
        ):
            pieces = two_goals(text, lex) if not row.item or is_cjk(text) else [text]
            self.goals += [goal_in(replace(row, text=piece), lex) for piece in pieces]
            return
        if len({given for word in cues.SHOUTED.findall(text) if (given := priority_of(word))}) > 2:
            self._situated(row, lex)
            return
        if role in ("problem", "principle", "assumption"):
            (self._wanted if role == "problem" and lex.find("want", text) else self._situated)(row, lex)
            return
        relied_on = role not in ASKED and lex.find("dependency", text)
        if (not modal and not row.item and lex.find("finished", text)) or (
            role in ("", "background", *ASKED) and cues.ALREADY.match(text) and not relied_on
        ):
            self.done.append(text)
            return
        cells = row.passage.block.cells
        if role == "user" and len(cells) > 2 and label_role(cells[0][1]) == "goal":  # of personas in columns
            self.goals += [goal_of(cell, lexicon_of(cell)) for _, cell in cells[1:] if re.search(r"\w", cell)]
        if role == "user":
            if lex.find("exclusion", text) and (is_cjk(text) or (not row.item and cues.OF_US.match(text))):
                self._need(row, lex, exclusion=True)
            elif AWAY.search(text) and (not row.item or len(text.split()) < _TOLD):
                self._situated(row, lex)
            elif not self.users.described(row, lex):
                asks = modal is not None and modal[0] != "Could"
                (self._need if asks else self._situated)(row, lex)
            return
        if role == "dependency" and not self._relied(row, lex):
            return
        if role == "dependency" and modal and (row.passage.id or cues.SYSTEM_DOES.match(text)):
            self._need(row, lex)
            return
        awaits = role in ("constraint", "", "requirement") and lex.find("awaits", text) is not None
        relies = (awaits or (role == "" and cues.STAYS_IN.search(text) is not None)) or (
            role in ("constraint", "nonfunctional", "") and not modal and lex.find("relies", text) is not None
        )
        needed = lex.find("dependency", text)
        denied = role == "constraint" and needed and cues.DENIED.search(text[: needed.start()])
        rests = (
            needed is not None
            and not denied
            and not cues.ALTERNATIVES.search(row.heading)
            and not (role == "" and modal and lex.find("limits", text))
        )
        if role == "dependency" or relies or (rests and not self.manual):
            self.dependencies.append(text)
            if (
                role == "dependency"
                or relies
                or cues.STAYS.search(text)
                or (not modal and role not in ASKED and not imperative(text, lex))
            ):
                return
        if role == "" and not modal and cues.COUNTS.match(text) and not lex.find("limits", text):
            self._situated(row, lex)
            return
        if role in ("", "background") and cues.NEVER.match(text):
            self._need(replace(row, passage=replace(row.passage, role="requirement")), lex)
            return
        if role == "" and not self.manual and cues.rules(text):
            self._need(row, lex, by_default=True)
            return
        if role in ("", "background") and lex.find("limits", text) and not lex.find("as_a", text):
            self._need(replace(row, passage=replace(row.passage, role="constraint")), lex, by_default=True)
            return
        if is_background(row, lex, rich=self.rich):
            (self._wanted if lex.find("want", text) and not lex.find("now", text) else self._situated)(
                row, lex
            )
            return
        if role == "instructions" or (self.manual and cues.is_described(row, modal)):
            if modal and modal[0] == "Must" and not re.search(r"\byou\b|[你您]", text, re.IGNORECASE):
                self._need(row, lex)
            else:
                self.other.append(row)
            return
        wanted = lex.find("want", text) and not modal and role not in ASKED and not lex.find("as_a", text)
        uses = wanted and cues.uses(row, lex, rich=self.rich)
        if wanted and (uses or self.rich or lex.find("makes", text) or goal_of(text, lex).target):
            self._wanted(row, lex)
            return
        if modal or role in ASKED or role == "constraint" or row.priority:
            if text.endswith((":", "：")) and not row.item:
                return
            self._need(row, lex, by_default=not modal and not row.priority)
            return
        if role == "" and not lex.find("as_a", text) and (cues.tells(row, lex) or told_today(row, lex)):
            (self._wanted if wanted else self._situated)(row, lex)
            return
        if (
            lex.weak.search(text)
            or (
                is_cjk(text) and lex.language != "zh"
            )  # Japanese, Korean: no rules tell a wish from a description
            or imperative(text, lex)
            or (
                (doer_of(text, lex) or people_in(text, lex))
                and not lex.find("problem", CONDITION.sub("", text))
            )
            or under_topic(row, rich=self.rich)
            or lex.find("as_a", text)
            or (category_of(text, lex) and any(c.isdigit() for c in text))
        ):
            self._need(row, lex, by_default=True)
            return
        self._situated(row, lex)

    def _addressed(self, row: Sentence, lex: Lexicon) -> bool:
        """Take for whom a sentence says that the thing is, and is not; False when it says something else as well."""
        against = [phrase for phrase, whom in audience.denied(row.text) if people_named(whom) or is_cjk(whom)]
        alone = bool(against) and audience.says_nothing_else(row.text)
        for phrase in against:
            said = row.text if alone else phrase.strip(" ,;，；、")
            self._need(replace(row, text=said), lex, exclusion=True)
        elsewhere = alone or row.item or self.users.listing  # a list of users is believed
        whom = "" if elsewhere else audience.addressed(row.text)
        if not people_named(whom):
            return alone
        told = replace(row, text=whom, passage=replace(row.passage, role="user"))
        return self.users.described(told, lex)

    def _relied(self, row: Sentence, lex: Lexicon) -> bool:
        """Whether a statement below `Dependencies and ...` is no assumption, risk or limit, which are taken as such."""
        beside = row.passage.block.heading
        if re.search(r"\bassum", row.text):
            self._situated(row, lex)
        elif cues.RISKY.search(beside) and cues.MAY.search(row.text):
            self.risks.append(Risk(row.text))
        elif cues.LIMITING.search(beside) and not cues.OUTSIDE.search(row.text):
            self._need(replace(row, passage=replace(row.passage, role="constraint")), lex, by_default=True)
        else:
            return True
        return False

    def _situated(self, row: Sentence, lex: Lexicon) -> None:
        self.situation.append(row.text)
        self.other.append(row)

    def _wanted(self, row: Sentence, lex: Lexicon) -> None:
        if lex.find("makes", row.text) or cues.uses(row, lex, rich=self.rich):
            self._need(row, lex, by_default=True)
            return
        self.goals += [goal_of(piece, lex) for piece in two_goals(row.text, lex)]
        self.other.append(row)

    def _need(
        self, row: Sentence, lex: Lexicon, *, by_default: bool = False, exclusion: bool = False
    ) -> None:
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
        if not taken.actor and _PRONOUN.match(row.text) and self.needs and self.needs[-1].quote == row.quote:
            taken = replace(taken, actor=self.needs[-1].clause.actor)
        moscow: Moscow = "Won't" if exclusion else (row.priority or (modal[0] if modal else "Must"))  # type: ignore[assignment]
        category = quality_of(row, lex)
        due = row.role == "constraint" and cues.DUE.match(row.text) is not None
        kind: Kind = "exclusion" if exclusion else "constraint" if due else kind_of(row, lex, taken, category)
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
