"""What each block of a request is there for: its role by headings, labels and columns, its own id, priority and release.

A role that a heading, a label or a column gives beats what a sentence sounds like: a risk stays a risk with `must` in it.
"""
# ruff: noqa: E501 - patterns are read whole

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from orchestrator.domain.dataclass import replace
from orchestrator.domain.patterns import expression
from orchestrator.domain.text import is_cjk
from workers.documents.block_parts import split
from workers.documents.heading_roles import DEMANDS, EMOJI, NAMED_ID, OKR, TICK, TITLED, Heading, HeadingRoles
from workers.documents.item_marks import (
    ID,
    identified,
    introduces,
    labelled,
    tagged,
    with_measures,
)
from workers.documents.lexicon import lexicon_of
from workers.documents.no_statement import (
    answer_of,
    beside,
    gone_as,
    is_left_to_decide,
    is_logged,
    still_open,
)
from workers.documents.outline import BOLD, Block, outline
from workers.documents.passage import ASKED, Passage
from workers.documents.passages_beside import completed
from workers.documents.property_rows import is_of_person, of_person, properties, property_of
from workers.documents.quantities import quantities
from workers.documents.ranks import ranks
from workers.documents.reading_words import (
    column_of,
    label_role,
    lead_role,
    priority_of,
    role_of,
)
from workers.documents.stated_name import labelled_name
from workers.documents.states import state_of
from workers.documents.table_rows import row_of
from workers.documents.tables import with_tables

_NUMBERED = expression(r"^\s*(?:[（(]?\d{1,2}[)）、]|\d{1,2}\.(?!\d)|[一二三四五六七八九十]{1,3}、)\s*")
_CROSS = expression(r"^[❌✗✘🚫]\s*")
_NO = expression(  # an answer; `No native app` says what there is none of
    r"^(?:(?:no|nope|nein|non|nee)\b(?:\s*[,.;!—–:-]+\s*|\s+(?=(?:it|we|they|he|she|this|that|these|those|there|you|the|not|never|nothing|wir|es|sie|das|on|nous|il)\b)|$)|不[，,]\s*)",
    re.IGNORECASE,
)
_DENIES = expression(r"(?:\S+ ){0,3}(?:not|n['’]t|no|never|nicht|kein\w*|pas|不)\b", re.IGNORECASE)
_OFFERED = expression(  # a question whose `No.` says what there is not to be, rather than what nobody has to do
    r"(?!.*\b(?:need|have to|must|required|necessary|allowed|safe|free|cost|lost|lose)\b)(?:can|could|will|would|do|does|is|are|may)\b|.*\bwhy not\b",
    re.IGNORECASE,
)
_STILL_OPEN = expression(  # a section or an answer that leaves a question open
    r"(?:.*\b(?:open|undecided|unresolved|outstanding|pending|unanswered|tb[acd]|to be (?:decided|clarified|determined|agreed))\b|.*\b(?:not (?:yet )?(?:decided|known|clear|settled|agreed|sure)|(?:do not|don['’]t) know|unclear|unsure)\b)",
    re.IGNORECASE,
)
_LEAVES = expression(  # an answer that leaves out what is asked for
    r"(?:not (?:in|before|yet|until|at first|this|now|for now|planned)\b|never\b|we (?:(?:do|will) not|(?:do|wo)n['’]t) (?!know|think|expect|have|need|want|see|mind|decide)\w)",
    re.IGNORECASE,
)
_GIVEN = expression(
    r"^(?:\**(?:given|when|then|and then|gegeben|wenn|dann|étant donné|quand|alors|dado|cuando|entonces)\b|假如|假设|当.{1,40}时|给定|AC[- ]?\d)",
    re.IGNORECASE,
)
_GIVEN_WHEN = expression(
    r"^given\b.+\b(?:when|then)\b|^(?:GIVEN|WHEN|THEN)\b|^(?:假如|假设|给定).+(?:当|那么|则)|^étant donné|^angenommen\b.+\bdann\b|^dado que?\b.+\bentonces\b",
    re.DOTALL,
)
_A = expression(r"^\**(?:A|Answer|答)[:：]\**\s*")
_POINTS = expression(  # at the end of a sentence, what refers to the code below it
    r"[,，]?\s*\b(?:(?:which|that|this|it) (?:would |will |could |might )?looks? (?:something |a bit )?like(?: (?:this|so))?|(?:something )?like (?:this|so)|(?:is |are )?(?:as|in the) follow(?:s|ing)(?: (?:form|format|way))?|(?:as )?(?:shown )?below"
    r"|for (?:example|instance)|e\.g\.?|such as)$|[，,]?(?:如下所?示?|例如|比如)$",
    re.IGNORECASE,
)
_POINTING = expression(  # what only leads to that code
    r"^(?:(?:and|so|or|but|then),? )*(?:for instance|e\.g\.|here(?:['’]s| is| are)|let['’]s|let us|consider|suppose|see|if|例如|比如)\b|\b(?:this|these|examples?|following|look)\b|\b(?:that|do|like|of|as|to|by|with|is|are|be|in|at|via|from|would|into|using|run|running)$",
    re.IGNORECASE,
)
_ASKS = expression(
    r"\b(?:shall|must|should|needs?|(?:we|i) want|requires?d?)\b|必须|应当?|需要", re.IGNORECASE
)
_DOUBT = expression(r"^[?？]{1,3}\s+(?=\w)")
_TO_DISCUSS = expression(  # `(discuss) HTTPS between the parts`
    r"^[*_]{0,2}[(\[](?:(?:to )?(?:discuss|clarify|decide)|(?:to be|needs to be) (?:discussed|clarified|decided|confirmed)|tb[acd]|open question|\?{1,3})[)\]][*_]{0,2}:?\s*(?=\w)",
    re.IGNORECASE,
)
_TOLD_STORY = expression(r"(?:user story|story|feature|requirement|用户故事|功能|需求)\b", re.IGNORECASE)
_STORY = expression(
    r"\W*(?:\d[\d.]*\W*)?(?:as an?|als|en tant qu[e'’]|en qualité d[e'’]|como|en calidad de|in (?:qualità|veste) d[i'’]|come|enquanto|na qualidade d[eoa]|作为)(?!\w)",
    re.IGNORECASE,
)
_MARKED = expression(r"^\W*(?:\d[\d.]*\W*)?")
_BESIDE = frozenset({"plan", "instructions"})
_UNDECIDED = expression(  # `Name of the product: TBC`
    r"^[^:：]{2,60}[:：]\s*(?:tb[acd]|to be (?:agreed|confirmed|decided|defined|determined)|still open|offen|待定|待确认|à définir|por definir)\W*$",
    re.IGNORECASE,
)
_POINTS_BACK = expression(  # it leads to what the sentence before it speaks of
    r"(?:these|they|those|this|among (?:them|these)) (?:(?:also )?includes?|are|is)(?: the following)?|dazu (?:gehören|zählen)|包括",
    re.IGNORECASE,
)
_LEADING = expression(
    r"^(?:the|our|its) |\s+(?:are|is|will be|sind|sont|son)(?: (?:these|the following|as follows))?$",
    re.IGNORECASE,
)
_DECIDABLE = ASKED | {"", "non_goal", "constraint", "nonfunctional", "question", "dependency"}
_NAMED_BY_ITEM = frozenset({"goal", "metric", "non_goal", "risk"})  # what an item may head a list of
_TOLD = frozenset({"user", "acceptance"})  # roles of sections that a whole story does not belong to
_UNTICKED = _BESIDE | {
    "",
    "background",
    "done",
    "non_goal",
}  # roles of lists whose open boxes are still to be done


def passages(text: str) -> tuple[Passage, ...]:
    """The passages of a text in order, one for each block."""
    return (_kept if len(text) <= KEPT_CHARS else _read)(text)


def _read(text: str) -> tuple[Passage, ...]:
    return completed(list(_Roles(with_tables(outline(text))).read()))


KEPT_CHARS = 32 * 1024  # of a text whose passages are kept
_kept = lru_cache(maxsize=8)(_read)  # a request is read for its needs, its features and its ledger


_NAMED, _NAMED_HAN = 4, 12  # words, or characters of Chinese, that only name what follows


def _opens(text: str) -> bool:
    """Whether a short paragraph above a list only names it: `Main flow`."""
    short = len(text) <= _NAMED_HAN if is_cjk(text) else len(text.split()) <= _NAMED
    named = short and not text.rstrip().endswith((".", "!", "?", "。"))
    return named or (len(text) <= 30 and bool(label_role(text)))


def _leading(base: Passage, *, listed: bool) -> Passage:
    """A paragraph above a list or a piece of code: its last sentence leads to the list, whatever else it says is read.

    What leads to code may state by itself what the code only shows: `The export has one line a booking:`.
    """
    text = base.text.rstrip()
    if _opens(text) and not base.label:
        return replace(base, opens=True)
    if not text.endswith((":", "：")):
        return base
    *said, last = split(text, "en") or [text]
    stated = "" if listed else _POINTS.sub("", last.rstrip(":： ")).rstrip(" ,，")
    leads = not stated or (_POINTING.search(stated) is not None and not _ASKS.search(stated))
    kept = text[: text.rfind(last)] + ("" if leads else stated)
    return replace(base, text=kept.rstrip()) if said or not leads else replace(base, opens=True)


def _denied(answer: str, question: str = "") -> tuple[str, str]:
    """What an answer says behind its `No`, and its role: left out where that denies something, or where the question asks for it."""
    said = _NO.sub("", answer)
    flat = re.match(r"no\s*[.!]", answer, re.IGNORECASE) is not None or _LEAVES.match(answer) is not None
    offered = flat and _OFFERED.match(question.strip("*_# ")) is not None
    return said, "non_goal" if offered or (said != answer and _DENIES.match(said)) else ""


def _wishes(text: str) -> bool:
    """Whether a text is a story that says what somebody wants."""
    said = _MARKED.sub("", text)
    return lexicon_of(said).patterns["as_a"].match(said) is not None


class _Roles(HeadingRoles):
    def __init__(self, blocks: Sequence[Block]) -> None:
        super().__init__(blocks)
        self.found: dict[str, Passage] = {}
        self.children = {block.parent for block in blocks if block.parent and block.kind == "item"}
        self.properties = properties(blocks)
        self.leads = {block.lead for block in blocks if block.lead and block.kind != "code"}
        self.shown = {block.lead for block in blocks if block.lead and block.kind == "code"}
        self.legend: dict[str, str] = {}  # a symbol -> the priority it stands for
        ticks: dict[tuple[tuple[str, ...], str], set[bool]] = {}
        for block in blocks:
            if block.kind == "item" and not block.parent:
                ticks.setdefault((block.section, block.lead), set()).add(TICK.match(block.text) is not None)
        self.partly = {place for place, found in ticks.items() if len(found) > 1}  # lists ticked in part

    def read(self) -> Iterator[Passage]:
        for block in self.blocks:
            passage = self.heading(block) if block.kind == "heading" else self._passage(block)
            if passage.id and passage.role in ASKED:
                self.by_id.setdefault(passage.id, block.id)
            self.found[block.id] = passage
            yield passage

    def _passage(self, block: Block) -> Passage:
        last = self.headings[-1].block if self.headings else None
        if last and last.level < BOLD and last.text not in block.section:  # behind a part that folds
            self.headings = [self.named[name] for name in block.section if name in self.named]
        here = self.headings[-1] if self.headings else None
        base = Passage(
            block,
            block.text,
            self._role_of(block, here) if here else "",
            priority=here.priority if here else "",
            release=here.release if here else "",
            parent=here.feature if here else "",
        )
        if block.kind in ("code", "front", "message"):
            return replace(base, role=block.kind)
        if here is not None and self._tells_story(block, here):
            base = replace(base, role="requirement", parent=here.block.id)
        lead = block.lead.rstrip()
        if lead and (lead.endswith((":", "：")) or (len(lead) <= 30 and label_role(lead))):
            base = self._led(base, lead)
        above = self.found.get(block.parent)
        if above is not None:
            base = self._nested(base, above)
        pair = " | ".join(cell for _, cell in block.cells) if len(block.cells) == 2 else ""
        if name := labelled_name(pair):
            return replace(base, role="name", text=name)
        if block.id in self.properties:
            return property_of(base)
        if base.role == "user" and is_of_person(block):
            return of_person(base) if len(block.cells) == 2 else base
        if block.kind == "row":
            row = row_of(base)
            referring = row.role in ASKED and ID.fullmatch(row.text) is not None
            shown = beside(row.text, {}) if row.role in ASKED else ""
            return replace(row, role="reference" if referring else "data" if shown == "data" else row.role)
        return self._item(base, above)

    def _role_of(self, block: Block, here: Heading) -> str:
        """The heading's role for what stands below it: a requirement below a part of an appendix is one all the same."""
        columns = {column_of(header) for header, _ in block.cells}
        if here.role == "meta" and here.block is self._first() and "id" in columns:
            return (
                "requirement" if columns & {"requirement", "description"} else here.role
            )  # it is all there is
        if here.role != "meta" or role_of(here.block.text):
            return here.role
        asks = {"id", "priority"} <= columns if block.cells else DEMANDS.search(block.text)
        return "requirement" if asks else here.role

    def _tells_story(self, block: Block, here: Heading) -> bool:
        """Whether a paragraph stands right below the number and name of a story, and so tells it."""
        return (
            block.kind == "paragraph"
            and TITLED.match(here.block.text) is not None
            and _TOLD_STORY.match(here.block.text) is not None
            and here.role in ASKED
            and self.found.get(here.block.id) is not None
            and next(reversed(self.found)) == here.block.id
        )

    def _led(self, base: Passage, lead: str) -> Passage:
        said = re.split(r"[.!?。！？]\s*", lead.rstrip().rstrip(":："))
        said = said[:-1] if len(said) > 1 and _POINTS_BACK.fullmatch(said[-1]) else said
        label = _LEADING.sub("", said[-1])
        role = (role_of(label) if len(label.split()) <= 8 else "") or lead_role(label)
        role = "" if role == "background" and not label_role(label) else role  # `The storyboard in short:`
        if not role and _STORY.match(lead) and len(lead.split()) <= 10:  # `As a guest, I want to:`
            role = "requirement"
        given = priority_of(label)
        return replace(base, role=role or base.role, priority=given or base.priority)

    def _nested(self, base: Passage, above: Passage) -> Passage:
        within = (base.block.section, base.block.lead) != (above.block.section, above.block.lead)
        if within and base.role and not above.opens:  # it has a heading or a lead within the item
            role, parent = base.role, above.block.id
        elif above.opens:
            role = above.role or base.role
            parent = above.parent
        else:
            role = (
                "acceptance" if above.role in ASKED and _GIVEN.match(base.text) else above.role or base.role
            )
            role = "mitigation" if role == "risk" else role
            told = role == "non_goal" or (role in ("goal", "metric") and not any(quantities(base.text)))
            role = "background" if told else role  # why, how it is measured, or by what it is reached
            parent = above.block.id
        return replace(
            base,
            role=role,
            parent=parent,
            priority=above.priority or base.priority,
            release=above.release or base.release,
        )

    def _item(self, base: Passage, above: Passage | None) -> Passage:
        text, role, values = base.text, base.role, dict(base.values)
        done = base.block.done
        if name := labelled_name(text):
            return replace(base, role="name", text=name)
        if ranks(text):
            return replace(base, role="attribute")
        skipped = beside(text, self.legend) or ("background" if is_logged(text) and not role else "")
        if skipped == "template" and is_left_to_decide(text):
            return replace(base, role="question")
        if skipped:
            return replace(base, role=skipped)
        if role in _DECIDABLE and _UNDECIDED.search(text):
            return replace(base, role="question")
        for symbol, given in self.legend.items():
            if text.startswith(symbol):
                text, base = text.removeprefix(symbol).lstrip("\ufe0f "), replace(base, priority=given)
        if _CROSS.match(text):
            text, role = _CROSS.sub("", text), "non_goal"
        if role not in ASKED and _DOUBT.match(text):
            text, role = _DOUBT.sub("", text), "question"
        if role in _DECIDABLE and _TO_DISCUSS.match(text):
            return replace(base, role="question")
        aim = OKR.match(text) if self.okrs else None
        if aim:
            role = "goal" if aim["goal"] else "metric"
        if TICK.match(text) and (base.block.section, base.block.lead) in self.partly:
            done = True
        begun = (
            role == "done" and state_of(text[:2]) == "open"
        )  # `🚧 Split deliveries`, among what is shipped
        role = "requirement" if begun else role
        text = TICK.sub("", text)
        text = EMOJI.sub("", text)
        text = _NUMBERED.sub("", text)
        if role in ASKED | {""} and _GIVEN_WHEN.match(text.replace("*", "")):
            role = "acceptance"
        if (role in _BESIDE and _STORY.match(text)) or (role in _TOLD and _wishes(text)):
            role = "requirement"
        asked = base.block.heading.rstrip().endswith(("?", "？")) and base.block.kind == "paragraph"
        if asked and role == "question" and not any(map(_STILL_OPEN.match, base.block.section)):
            if _STILL_OPEN.match(text) or text.endswith("?"):
                return replace(base, text=base.block.heading.strip("*_ "))
            role = ""
        if asked and role in _DECIDABLE and (_NO.match(text) or _LEAVES.match(text)):
            text, denied = _denied(text, base.block.heading)
            role = denied or role  # `Does it control my loom?`
        if question := still_open(text):
            return replace(base, text=question, role="question")
        answer = answer_of(text, role)
        if answer:
            faq, text, role = role == "faq", answer, "" if role == "faq" else role
            if faq:
                text, role = _denied(text)
            if role == "question":
                return replace(base, role="answered")
        elif role == "faq":
            role = "answered" if text.rstrip("*_ ").endswith(("?", "？")) else ""
            text = _A.sub("", text)
            if not role:
                text, role = _denied(text, base.block.heading)
        base = identified(replace(base, text=text, role=role))
        gone, told = gone_as(base.text, base.role, named=bool(base.id))
        if gone:
            return replace(base, role=gone, text=told)
        base = labelled(with_measures(base), within=above is not None or bool(base.parent))
        if base.label and (given := priority_of(base.label)):
            base = replace(base, priority=given)
        base = with_measures(base) if base.label and not base.values else base
        base = tagged(base)
        of = NAMED_ID.search(base.label) if base.role == "acceptance" else None  # `Acceptance of SR-3: ...`
        if base.role == "acceptance" and base.id and _wishes(base.text):
            base = replace(base, role="requirement")  # behind the criteria of another story
        if base.role == "acceptance" and base.id in self.by_id:
            base = replace(base, parent=self.by_id[base.id], opens=base.block.id in self.children)
        elif of and of[0] in self.by_id:
            base = replace(base, parent=self.by_id[of[0]])
        if done:
            base = replace(base, role="done")
        elif done is False and (base.role in _UNTICKED or (base.role == "goal" and self._inherits(base))):
            base = replace(base, role="requirement")
        if base.block.id in self.children and base.role != "user" and not base.values and not base.opens:
            base = replace(base, opens=introduces(base.text))
            named = label_role(base.text) or lead_role(base.text.rstrip(":： ")) if base.opens else ""
            base = replace(base, role=named) if named in _NAMED_BY_ITEM else base
        if base.block.kind == "paragraph" and base.block.text in self.leads | self.shown:
            base = _leading(base, listed=base.block.text in self.leads)
        if base.role == "acceptance" and not base.parent and not base.opens:
            base = replace(base, parent=self._accepted(base.block))
        return replace(base, values={**base.values, **values})

    def _inherits(self, base: Passage) -> bool:
        """Whether the role of a passage is not said by the heading right above it, but by one further up."""
        return bool(self.headings) and not role_of(self.headings[-1].block.text) and not base.label

    def _accepted(self, block: Block) -> str:
        """The statement that a criterion without one of its own belongs to: the last one above it in its part of the text."""
        around = [heading for heading in self.headings if heading.role not in ("acceptance", "mitigation")]
        inner = around[-1].block if around else None
        for passage in reversed(self.found.values()):
            if inner is not None and passage.block.id == inner.id:
                return around[-1].feature
            if (
                (passage.role in ASKED or (not passage.role and _STORY.match(passage.text)))
                and not passage.opens
                and (inner is None or inner.text in passage.block.section)
            ):
                same = block.section[-1:] == passage.block.section[-1:]
                return passage.block.id if same or len(around) > 1 else ""
        return ""
