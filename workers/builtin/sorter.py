"""Sorts sentences: requirement, limit, exclusion, goal, actor, dependency, question, or a description of the present.

The order of the rules is the order of trust: what the section says (its heading or label), then what the sentence says
(modal verbs, exclusions, questions), then its form (imperative, measured).
"""

from __future__ import annotations

import re

from orchestrator.domain.dataclass import replace
from orchestrator.domain.text import is_cjk
from workers.builtin import cues, exclusions
from workers.builtin.analysis import Criterion, Risk
from workers.builtin.clauses import first_modal
from workers.builtin.defects import tells_defect, wanted_parts
from workers.builtin.framing import (
    introduces,
    is_background,
    names_part,
    names_quality,
    told_today,
    under_topic,
)
from workers.builtin.goals import goal_in, goal_of, two_goals
from workers.builtin.people import people_in, people_named
from workers.builtin.qualities import category_of
from workers.builtin.sorted_request import SortedRequest
from workers.builtin.users_in_prose import AWAY
from workers.builtin.wishes import CONDITION, doer_of, imperative, two_wishes
from workers.documents import audience
from workers.documents.block_parts import several
from workers.documents.leads import is_answer
from workers.documents.lexicon import Lexicon, lexicon_of
from workers.documents.passage import ASKED
from workers.documents.polite import polite_wish
from workers.documents.ranks import rank_of_last, ranks
from workers.documents.reading_words import label_role, priority_of, says
from workers.documents.sentences import Sentence, split
from workers.documents.stated_name import called_name
from workers.documents.technologies import refuses
from workers.documents.trouble import tells_of_better

Modal = tuple[str, re.Match[str]] | None  # the priority that a modal verb gives, and where it stands
_TOLD = 30  # words from which an item about users tells of several
_MEASURE = 8  # words of a measure that stands in a line with others
_VALUED = re.compile(r"[<>≤≥]=?\s*[\d$€£]|\d\s*%")  # of a measure with a value of its own
_FEW = 3  # sentences of a short request, where each says something of what is asked for
_TITLE = 4  # words below which a sentence may only name what is told behind it
_NAMING = 9  # words below which a sentence only says what the thing is called
_ALLOWED = re.compile(  # what users may do, below who they are
    r"(?:can(?:not|['’]t)?|may|(?:is |are )?able to|(?:is |are )?(?:not )?allowed to)\b|可以|能够",
    re.IGNORECASE,
)
_SETTING = ("", "background")  # roles of prose, where a sentence says by itself what it is
_UNASKED = frozenset(
    {"question", "acceptance", "risk", "user", "metric", "non_goal"}
)  # where a question is one


class Sorter(SortedRequest):
    """Sorts the sentences of one request, each by itself; none becomes a wish because there is no other."""

    def sort(self) -> None:
        for row in self.found:
            for piece in two_wishes(row):
                self._one(piece, lexicon_of(piece.text))

    def _one(self, row: Sentence, lex: Lexicon) -> None:
        """Take one statement: the first rule that knows it keeps it."""
        if not re.search(r"\w", row.text) or self._frames(row, lex):
            return
        row = self._clarified(row)
        if self._endangers_or_shows(row, lex) or self._is_for_its_readers(row, lex) or self._bounds(row, lex):
            return
        if row.role == "non_goal" and exclusions.is_for_later(row, lex):
            row = row.within("requirement")
        if row.role == "non_goal" and exclusions.is_behind(row, lex, self.listed):
            row = row.within("")
        if self._forbids_or_excludes(row, lex):
            return
        modal = first_modal(row.text, lex)
        if modal and not row.priority and cues.INSISTS.search(row.text):
            row = replace(row, priority="Must")
        if (
            self._aims(row, lex, modal)
            or self._is_given(row, lex, modal)
            or self._relies(row, lex, modal)
            or self._describes(row, lex, modal)
            or self._asks(row, lex, modal)
        ):
            return
        self._situated(row, lex)

    def _frames(self, row: Sentence, lex: Lexicon) -> bool:
        """Take what speaks of the document, of a defect or of users, or only names or ranks what is asked for."""
        text, role, block = row.text, row.role, row.passage.block.id
        about = cues.ABOUT_TEXT.match(text) or (block == self.about and cues.SAYS_OF_TEXT.match(text))
        if about and role != "question":
            self.about = block
            return self._situated(row, lex)
        if self.report and role in _SETTING and tells_defect(text):
            return self._situated(row, lex)
        given = rank_of_last(text) if self.needs and role in (*_SETTING, *ASKED) else ""
        if given and self.needs[-1].kind != "exclusion":
            self.needs[-1] = replace(self.needs[-1], moscow=given, given=given)  # type: ignore[arg-type]
            return self._situated(row, lex)
        parts = wanted_parts(text) if role in (*_SETTING, "problem", *ASKED) else []
        if parts:
            for part in parts:
                self._need(replace(row, text=part), lex, by_default=True)
            return True
        if role in (*_SETTING, "user", *ASKED) and block != self.about and self._addressed(row, lex):
            return True
        named = role in _SETTING and called_name(text) and len(text.split()) < _NAMING
        chore = role in (*_SETTING, *ASKED, "plan") and says("chores", text)
        return self._situated(row, lex) if named or chore or ranks(text) else False

    def _clarified(self, row: Sentence) -> Sentence:
        """The statement without what it says has to be clarified, which is asked."""
        unclear = cues.CLARIFY.search(row.text)
        if not unclear:
            return row
        self.questions.append(unclear[1])
        return replace(row, text=row.text[: unclear.start()] or row.text)

    def _endangers_or_shows(self, row: Sentence, lex: Lexicon) -> bool:
        """Take a risk, or what shows that something asked for is there."""
        text, role, block = row.text, row.role, row.passage.block.id
        if role == "risk" and block == self.risk_of[0] and row.passage.label and row.quote != self.risk_of[1]:
            if lex.find("awaits", text):
                self.dependencies.append(text)
            else:
                self._mitigated(replace(row.passage, role="mitigation"), text)
            return True
        if role == "risk" and cues.NO_RISK.match(text):
            return self._situated(row, lex)
        if role == "risk":
            self.risk_of = (block, row.quote)
            said, against = cues.answered_risk(text)
            first, *told = split(said, lex) if row.item else [said]
            said, told = (first, told) if len(first.split()) >= _TITLE or is_cjk(said) else (said, [])
            self.situation += told
            self.risks.append(Risk(said, row.passage.values.get("mitigation", "") or against))
            if against:
                self._mitigated(replace(row.passage, values={}), against)
            return True
        if (not row.item or role == "") and role not in ("problem", "user") and lex.find("afraid", text):
            self.risks.append(Risk(text))
            return True
        # a story with a priority of its own, below the criteria of another, is none of them
        if role == "acceptance" and says("of_work", text):
            return self._situated(row, lex)
        if role == "acceptance" and not (row.priority and lex.find("as_a", text)):
            if not cues.GIVEN.match(text) and self._shows_nothing(row.passage.parent):
                return self._need(row.within("requirement"), lex, by_default=True)
            self.criteria.append(Criterion(text, row.passage.parent))
            return True
        if role in ("", *ASKED) and self.needs and (shown := cues.EXAMPLE.match(text)):
            self.criteria.append(Criterion(shown["said"], self.needs[-1].block))
            return True
        return False

    def _shows_nothing(self, parent: str) -> bool:
        """Whether criteria stand below prose in which nothing is asked for, and so say themselves what is."""
        above = next((passage for passage in self.passages if passage.block.id == parent), None)
        prose = above is not None and above.block.kind == "paragraph"
        return prose and all(need.block != parent or need.kind == "exclusion" for need in self.needs)

    def _is_for_its_readers(self, row: Sentence, lex: Lexicon) -> bool:
        """Take what is said to whoever makes the thing: a date, a polite wish, a proposal, an offer, a question."""
        text, role = row.text, row.role
        if role in (*_SETTING, "constraint", *ASKED) and says("due", text):
            return self._limit(row, lex)
        polite = polite_wish(text) if role not in _UNASKED else None
        if polite:
            if polite.why:
                self.situation.append(polite.why)
            given = row.priority or ("Must" if polite.firm else "")
            return self._need(replace(row, text=polite.text, priority=given), lex, by_default=True)
        if (role not in ("question", "acceptance") and cues.MAKES_HAN.match(text)) or (
            role in ("", *ASKED) and says("proposes", text)
        ):
            return self._need(row, lex, by_default=True)
        if says("ticked", text) or (role not in ASKED and says("offers", text)):
            return self._situated(row, lex)
        if role == "question" and cues.NO_QUESTION.match(text):
            return self._situated(row, lex)
        asks = text.rstrip().endswith(("?", "？")) and not (role == "metric" and row.item and ": " in text)
        if role == "question" and not row.item and not asks and lex.find("limits", text):
            return self._limit(row, lex)
        if role == "question" and not row.item and not asks and lex.find("refused", text):
            return self._need(row, lex, exclusion=True)
        if role == "question" or asks or lex.find("question", text):
            self.questions.append(row.quote)
            return True
        return False

    def _bounds(self, row: Sentence, lex: Lexicon) -> bool:
        """Take a means that is prescribed or ruled out, and what has to stay as it is."""
        text, role = row.text, row.role
        if role in ("", "constraint", "nonfunctional", "dependency", *ASKED) and (
            says("means", text) or refuses(text)
        ):
            return self._limit(row, lex)
        if role in (*_SETTING, "constraint", *ASKED) and says("unchanged", text):
            return self._limit(row, lex)
        return self._situated(row, lex) if role == "non_goal" and exclusions.comments(row, lex) else False

    def _forbids_or_excludes(self, row: Sentence, lex: Lexicon) -> bool:
        """Take a rule that denies something, or what is left out."""
        text, role, values = row.text, row.role, row.passage.values
        if exclusions.LEADS.fullmatch(text):
            return self._situated(row, lex)
        without = cues.without(text, short=len(self.found) <= _FEW) if role in ("", *ASKED) else None
        if without and not self.manual and not lex.patterns["burden"].match(without["first"]):
            self._need(replace(row, text=without["said"]), lex, exclusion=True)
        if (
            role in ("", "constraint", "nonfunctional", *ASKED)
            and not self.manual
            and exclusions.forbids(text, lex)
        ):
            return self._need(row, lex, by_default=True)
        if role == "non_goal" or row.priority == "Won't" or exclusions.excludes(row, lex, manual=self.manual):
            self._need(replace(row, text=exclusions.without_reason(text)), lex, exclusion=True)
            relied = lex.find("dependency", text) if role != "non_goal" else None
            if relied and not exclusions.DENIED.search(text[: relied.start()]):
                self.dependencies.append(text)
            return True
        if values.get("in_scope") and values.get("non_goal"):
            self._need(replace(row, text=values["non_goal"], quote=values["non_goal"]), lex, exclusion=True)
        return False

    def _aims(self, row: Sentence, lex: Lexicon, modal: Modal) -> bool:
        """Take a goal, a measure of success, or what only leads to a list of them."""
        text, role = row.text, row.role
        acts = doer_of(text, lex) or (is_cjk(text) and people_in(text, lex))
        if role == "goal" and is_answer(row.passage) and acts and not tells_of_better(text):
            # asked what should be better, its author says what people will do
            return self._need(row.within("requirement"), lex, by_default=True)
        measured = role == "metric" and goal_of(text, lex).target != ""
        leads = role in ("goal", "metric") and text.endswith((":", "："))
        described = role == "goal" and not row.item and cues.DESCRIBES_THING.match(text)
        if described and not modal and not tells_of_better(text) and not goal_of(text, lex).target:
            return self._situated(row, lex)
        if leads or (not modal and not measured and introduces(row, lex, self.listed)):
            return self._situated(row, lex)
        if role == "metric" and row.item and cues.is_test(row):
            self.criteria.append(Criterion(text, row.passage.parent))
            return True
        if (
            role in ("goal", "metric")
            or (role in (*_SETTING, "problem") and cues.reaches(row, lex))
            or (not row.item and says("to_reach", text) and goal_of(text, lex).target)
            or says("success", row.quote)
            or (role in ("background", "problem") and says("hopes", text))
            or (role in (*_SETTING, "problem", *ASKED) and not row.item and says("aims", text))
            or (role in (*_SETTING, "problem") and not row.passage.id and says("no_longer", text))
        ):
            self.goals += [goal_in(replace(row, text=piece), lex) for piece in self._measures(row, lex)]
            return True
        return False

    def _measures(self, row: Sentence, lex: Lexicon) -> list[str]:
        """The goals of a statement: those of a sentence, each with its value, and those that a line names behind a label."""
        listed = row.text.partition(": ")[2]
        if row.role in ("goal", "metric") and row.item and listed:
            pieces = several(listed, _MEASURE)
            if len(pieces) > 1 and all(_VALUED.search(piece) for piece in pieces):
                return pieces
            if row.role == "metric" and not goal_of(row.text, lex).target:
                return pieces if len(pieces) > 1 else [row.text]
        return two_goals(row.text, lex) if not row.item or is_cjk(row.text) else [row.text]

    def _is_given(self, row: Sentence, lex: Lexicon, modal: Modal) -> bool:
        """Take what is so already: a legend, a problem, what is finished, and who the users are."""
        text, role = row.text, row.role
        if len({given for word in cues.SHOUTED.findall(text) if (given := priority_of(word))}) > 2:
            return self._situated(row, lex)
        if role in ("problem", "principle", "assumption"):
            wanted = role == "problem" and lex.find("want", text)
            return self._wanted(row, lex) if wanted else self._situated(row, lex)
        relied_on = role not in ASKED and lex.find("dependency", text)
        if (
            not modal
            and not row.item
            and not lex.find("awaits", text)
            and lex.find("finished", CONDITION.sub("", text))
        ) or (role in (*_SETTING, *ASKED) and cues.ALREADY.match(text) and not relied_on):
            self.done.append(text)
            return True
        return role == "user" and self._of_users(row, lex, modal)

    def _of_users(self, row: Sentence, lex: Lexicon, modal: Modal) -> bool:
        """Take a statement below a heading about users."""
        text, cells = row.text, row.passage.block.cells
        if len(cells) > 2 and label_role(cells[0][1]) == "goal":  # of personas in columns
            self.goals += [goal_of(cell, lexicon_of(cell)) for _, cell in cells[1:] if re.search(r"\w", cell)]
        if lex.find("exclusion", text) and (is_cjk(text) or (not row.item and cues.OF_US.match(text))):
            return self._need(row, lex, exclusion=True)
        if AWAY.search(text) and (not row.item or len(text.split()) < _TOLD):
            return self._situated(row, lex)
        if row.item and _ALLOWED.match(text):
            return self._need(row.within("requirement"), lex, by_default=True)
        if self.users.described(row, lex):
            return True
        return self._need(row, lex) if modal and modal[0] != "Could" else self._situated(row, lex)

    def _relies(self, row: Sentence, lex: Lexicon, modal: Modal) -> bool:
        """Take what others provide; True where it asks for nothing besides."""
        text, role = row.text, row.role
        if role == "dependency" and not self._relied(row, lex):
            return True
        if role == "dependency" and modal and (row.passage.id or cues.SYSTEM_DOES.match(text)):
            return self._need(row, lex)
        awaits = (
            role in ("constraint", "background", "", "requirement") and lex.find("awaits", text) is not None
        )
        relies = (awaits or (role == "" and cues.STAYS_IN.search(text) is not None)) or (
            role in ("constraint", "nonfunctional", "")
            and not modal
            and lex.find("relies", text) is not None
            and not lex.find("bound", text)
        )
        needed = lex.find("dependency", text)
        denied = role == "constraint" and needed and exclusions.DENIED.search(text[: needed.start()])
        rests = (
            needed is not None
            and not denied
            and not cues.ALTERNATIVES.search(row.heading)
            and not (role == "" and lex.find("limits", text))
        )
        if not (role == "dependency" or relies or (rests and not self.manual)):
            return False
        self.dependencies.append(text)
        doer = doer_of(text, lex).removesuffix(" then").removesuffix(" also")
        acts = lex.find("system", doer) is not None  # it says what the product does with it
        alone = not modal and role not in ASKED and not imperative(text, lex) and not acts
        return role == "dependency" or relies or says("stays", text) or alone

    def _describes(self, row: Sentence, lex: Lexicon, modal: Modal) -> bool:
        """Take a count, a rule or a limit of the present, and what a manual explains."""
        text, role = row.text, row.role
        if role == "" and not modal and says("counts", text) and not lex.find("limits", text):
            return self._situated(row, lex)
        if role in _SETTING and says("never", text):
            return self._need(row.within("requirement"), lex)
        if role == "" and not self.manual and cues.rules(text):
            return self._need(row, lex, by_default=True)
        if role in _SETTING and lex.find("limits", text) and not lex.find("as_a", text):
            return self._limit(row, lex)
        topical = (
            self.opens_with_wish and row.item and bool(row.passage.block.section)
        )  # behind what asks for the thing
        if is_background(row, lex, rich=self.rich and not topical):
            wanted = lex.find("want", text) and not lex.find("now", text)
            return self._wanted(row, lex) if wanted else self._situated(row, lex)
        if role == "instructions" or (self.manual and cues.is_described(row, modal)):
            if modal and modal[0] == "Must" and not re.search(r"\byou\b|[你您]", text, re.IGNORECASE):
                return self._need(row, lex)
            self.other.append(row)
            return True
        return False

    def _asks(self, row: Sentence, lex: Lexicon, modal: Modal) -> bool:
        """Take a wish: by its section, its modal verb, or its form."""
        text, role = row.text, row.role
        wanted = lex.find("want", text) and not modal and role not in ASKED and not lex.find("as_a", text)
        uses = wanted and cues.uses(row, lex, rich=self.rich)
        if wanted and (uses or self.rich or lex.find("makes", text) or goal_of(text, lex).target):
            return self._wanted(row, lex)
        if modal or role in ASKED or role == "constraint" or row.priority:
            if not text.endswith((":", "：")) or row.item:
                self._need(row, lex, by_default=not modal and not row.priority)
            return True
        today = cues.tells(row, lex) or told_today(row, lex) or (not self.needs and cues.HABIT.match(text))
        if role == "" and not lex.find("as_a", text) and today:
            return self._wanted(row, lex) if wanted else self._situated(row, lex)
        if (
            lex.weak.search(text)
            or (is_cjk(text) and lex.language != "zh" and not says("told", text))
            or imperative(text, lex)
            or (
                (doer_of(text, lex) or people_in(text, lex))
                and not lex.find("problem", CONDITION.sub("", text))
            )
            or self._goes_on(row)
            or under_topic(row, depth=self.topic_depth)
            or lex.find("as_a", text)
            or (role == "" and names_quality(text, lex))
            or (role == "" and self.needs and self._is_short(row) and names_part(text))
            or (category_of(text, lex) and any(c.isdigit() for c in text))
        ):
            return self._need(row, lex, by_default=True)
        return False

    def _goes_on(self, row: Sentence) -> bool:
        """Whether a sentence goes on telling what the people of the wish before it do: `When they arrive, they ...`."""
        block = row.passage.block
        wished = self.needs and self.needs[-1].block == block.id and self.needs[-1].kind == "functional"
        return (
            bool(wished)
            and block.kind == "paragraph"
            and cues.THEY_DO.match(CONDITION.sub("", row.text)) is not None
        )

    def _is_short(self, row: Sentence) -> bool:
        """Whether the request is a few sentences without a heading, each of which says something of what is asked for."""
        return len(self.found) <= _FEW and not any(row.passage.block.section)

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
        told = replace(row.within("user"), text=whom)
        return self.users.described(told, lex)

    def _relied(self, row: Sentence, lex: Lexicon) -> bool:
        """Whether a statement below `Dependencies and ...` is no assumption, risk or limit, which are taken as such."""
        beside = row.passage.block.heading
        if re.search(r"\bassum", row.text):
            self._situated(row, lex)
        elif cues.RISKY.search(beside) and cues.MAY.search(row.text):
            self.risks.append(Risk(row.text))
        elif cues.LIMITING.search(beside) and not cues.OUTSIDE.search(row.text):
            self._limit(row, lex)
        else:
            return True
        return False
