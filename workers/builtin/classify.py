"""Reads a whole request: sorts its sentences, then what only shows across them (lists, reports of defects, priorities)."""

from __future__ import annotations

import re

from orchestrator.domain.dataclass import replace
from orchestrator.domain.text import keywords
from workers.builtin.analysis import Criterion
from workers.builtin.defects import plainly_broken, turned_round
from workers.builtin.goals import goal_of
from workers.builtin.manuals import promised, subject_of
from workers.builtin.phrases import TRIM
from workers.builtin.remainder import remainder
from workers.builtin.sorter import Sorter
from workers.documents.lexicon import lexicon_of
from workers.documents.outline import BOLD
from workers.documents.passage import ASKED
from workers.documents.ranks import ranks
from workers.documents.sentences import Sentence
from workers.documents.shown_code import shown_code
from workers.documents.trouble import tells_trouble

_SAID_IN_MANUAL = 5  # first sentences of a manual that stand for the request when nothing in it is asked for


class Reader(Sorter):
    """Reads the sentences of one request in order."""

    def read(self) -> None:
        self.sort()
        self._unsaid()
        self._beside_needs()
        self._once()
        self.users.telling()
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

    def _once(self) -> None:
        """Of what two lists leave out, keep where it is said at its fullest: `E-mails` beside `E-mails about delays`."""
        section = {passage.block.id: passage.block.section for passage in self.passages}
        kept: list[tuple[frozenset[str], tuple[str, ...]]] = []
        out = [(keywords(need.text), need) for need in self.needs if need.kind == "exclusion"]
        for words, need in sorted(out, key=lambda pair: -len(pair[0])):
            where = section.get(need.block, ())
            if words and any(words <= more and where != other for more, other in kept):
                self.needs.remove(need)
                self.situation.append(need.text)
            else:
                kept.append((words, where))

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
        shown = {
            passage.block.section[-1]
            for passage in self.passages
            if passage.role == "code" and passage.block.section
        }
        explained = {  # leads in bold of goals: `**No queues.** Nobody waits longer than ten minutes.`
            row.passage.block.heading
            for row in self.found
            if row.role == "goal" and row.passage.block.kind == "paragraph"
        }
        rows = [*self.passages]
        for passage in rows:
            if passage.role == "done" and not passage.opens and passage.text:
                self.done.append(passage.text)
                lex = lexicon_of(passage.text)
                if lex.find("as_a", passage.text):
                    self.users.acting(Sentence(passage.text, passage.text, passage), lex)
            elif (
                passage.role == "goal"
                and passage.block.kind == "heading"
                and len(passage.text.split()) > 1
                and passage.block.id not in carried
                and not (passage.block.level >= BOLD and passage.block.text in explained)
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
                and (
                    passage.title
                    or (passage.block.id not in carried and passage.block.text not in topics | shown)
                )
            ):
                row = Sentence(passage.text, passage.text, passage, priority=passage.priority)
                wont = passage.priority == "Won't"
                self._need(row, lexicon_of(row.text), by_default=True, exclusion=wont)
        order = {passage.block.id: at for at, passage in enumerate(rows)}
        self.needs.sort(key=lambda need: order.get(need.block, -1))

    def _beside_needs(self) -> None:
        """Items of a list without a role are asked for when a third of the list is."""
        asked = {need.block for need in self.needs}
        lists: dict[tuple[tuple[str, ...], str], list[Sentence]] = {}
        for row in self.found:
            if row.passage.block.kind == "item" and not row.role and not row.passage.parent:
                lists.setdefault((row.passage.block.section, row.passage.block.lead), []).append(row)
        for rows in lists.values():
            taken = {row.passage.block.id for row in rows if row.passage.block.id in asked}
            left = [row for row in rows if row.text in self.situation]
            if left and not self.manual and 3 * len(taken) >= len({row.passage.block.id for row in rows}):
                for row in left:
                    if row.text in self.situation:  # it may stand there once for two rows
                        self.situation.remove(row.text)
                    self._need(row, lexicon_of(row.text), by_default=True)
        order = {row.passage.block.id: at for at, row in enumerate(self.found)}
        self.needs.sort(key=lambda need: order.get(need.block, -1))
