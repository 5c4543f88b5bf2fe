"""A request as sentences, each with the passage it stands in and what that passage is there for."""

from __future__ import annotations

import re
from collections.abc import Container, Iterator

from orchestrator.domain.courtesies import is_courtesy
from orchestrator.domain.dataclass import dataclass, replace
from orchestrator.domain.patterns import expression
from orchestrator.domain.text import is_cjk, keywords
from workers.documents import block_parts
from workers.documents.block_parts import MAX_SENTENCE, bounded, parts_of
from workers.documents.leads import is_answer, own_section, run_on
from workers.documents.lexicon import Lexicon, lexicon, lexicon_of
from workers.documents.outcomes import is_today, with_outcomes
from workers.documents.passage import ASKED, SKIPPED, Passage
from workers.documents.passages import passages
from workers.documents.reading_words import column_of
from workers.documents.technologies import refuses

WHOLE = frozenset(
    {"goal", "metric", "risk", "non_goal", "acceptance", "user", "question", "use_case"}
)  # roles whose items are one statement
UNREAD = frozenset(
    {"done", "code", "front", "message", "attribute", "mitigation", "plan", *SKIPPED}
)  # roles without a statement to sort
_COLUMNS, _WORDS = 3, 2  # of a table whose cells are statements each; of a cell that states something
_LIMIT = 4  # words of a limit among several behind a label
_EXPLAINED = ASKED | {"constraint", "dependency"}  # roles whose items may say why
_MEASURES = frozenset({"goal", "metric"})
_ABLE = expression(r"可以?|能够?")  # in a list of what a thing does it is no "may"
_REFERS = expression(r"(?:that|this|it|they|these|those|which) ", re.IGNORECASE)  # to the part before
_EXPLAINS = expression(
    r"(?:we|this|it|they|that|these|those|there|i|because|otherwise|see|nobody)\b", re.IGNORECASE
)
_TURNS = expression(r"(?:but|however|instead|only)\b", re.IGNORECASE)  # to what is wanted
TURNED_DOWN = (
    expression(  # what was said of the part before: `Recordings were wished for; the board has said no`
        r"(?:(?:and|but|so) )?(?:the |our )?[\w'’-]+(?: [\w'’-]+)? (?:has |have |had )?"
        r"(?:(?:again )?(?:said no|refused|declined)|(?:turned|voted) (?:it|this|that|them|these) down"
        r"|(?:decided|voted) against (?:it|this|that|them))\W*",
        re.IGNORECASE,
    )
)
_SETTING = frozenset(
    {"", "background", "problem"}
)  # roles of sections before which a text is still an introduction


@dataclass(frozen=True, slots=True)
class Sentence:
    text: str  # what is said: one sentence, or its part between semicolons
    quote: str  # the whole sentence, word for word
    passage: Passage
    intro: bool = False  # before the first section with a role
    priority: str = ""  # given by its author, or by the words that introduce its list

    @property
    def role(self) -> str:
        return self.passage.role

    @property
    def heading(self) -> str:
        """The label in front of it, else the heading above it."""
        return self.passage.label or self.passage.block.heading

    @property
    def item(self) -> bool:
        return self.passage.block.kind != "paragraph"

    def within(self, role: str) -> Sentence:
        """The same in a section with another role."""
        return replace(self, passage=replace(self.passage, role=role))


def split(text: str, lex: Lexicon) -> list[str]:
    """Sentences of one block in the language of its words."""
    return block_parts.split(text, lex.language)


def sentences(text: str) -> list[Sentence]:
    """All sentences of a request that state something, in order."""
    return list(sentences_of(passages(text)))


def sentences_of(found: tuple[Passage, ...]) -> Iterator[Sentence]:
    seen_role = False
    found = with_outcomes(found)
    asking = {(one.block.section, one.block.lead) for one in found if one.role in ASKED and one.block.lead}
    for passage in found:
        seen_role = seen_role or passage.role not in _SETTING
        if passage.opens or passage.role in UNREAD or not passage.text.strip():
            continue
        lead = passage.block.lead
        led = lead_priority(lead) if lead.endswith((":", "：")) else ""
        priority = passage.priority or led
        if (priority and not passage.role) or (led and passage.role == "background"):
            passage = replace(passage, role="requirement")
        said_of_it = [
            text
            for text in _statements(passage)
            if passage.block.kind != "paragraph" or not is_courtesy(text)
        ]
        for where, quote, said in run_on(passage, said_of_it):
            yield from _sentences(where, quote, said, not seen_role, priority, asking)


def _sentences(
    passage: Passage,
    quote: str,
    said: str,
    intro: bool,
    priority: str,
    asking: Container[tuple[tuple[str, ...], str]],
) -> Iterator[Sentence]:
    """The statements of one sentence. `asking`: sections and leads of lists that ask for something."""
    where, said = own_section(passage, said)
    if where is not passage:
        yield Sentence(said, quote, where, intro, priority)
        return
    listed = passage.block.kind == "item"
    of_wishes = listed and (passage.block.section, passage.block.lead) in asking
    frame = Sentence("", "", passage, intro and not of_wishes, priority)
    whole = passage.block.kind == "row" or passage.role in ("user", "non_goal")
    pieces = [said] if whole else parts_of(said)
    if passage.role == "constraint" and passage.label and not listed and pieces == [said]:
        pieces = block_parts.several(said, _LIMIT)  # `Constraints: Go 1.22, one person, three weeks.`
    told = listed and passage.role in _EXPLAINED
    apart = all(_asks(piece) for piece in pieces) or any(map(refuses, pieces[1:]))
    left_out = len(pieces) > 1 and lexicon_of(said).find("exclusion", pieces[0]) is not None
    alone = left_out and not any(
        _asks(piece) or _TURNS.match(piece) for piece in pieces[1:]
    )  # why, or who does it instead
    if (
        alone
        or (told and not apart)
        or any(
            _REFERS.match(piece)
            or TURNED_DOWN.fullmatch(piece)
            or (passage.role in _MEASURES and is_today(piece))
            for piece in pieces[1:]
        )
    ):
        pieces = [said]
    lists = passage.role in _SETTING and block_parts.lists_what_it_does(said)
    if lists:
        frame = replace(frame, passage=replace(passage, role="requirement"))
    for piece in pieces:
        able = "Must" if lists and _ABLE.match(piece) else priority
        yield replace(frame, text=piece, quote=quote, priority=able)


def _statements(passage: Passage) -> list[str]:
    """The sentences of a passage; those of an item that only explain the first stay with it."""
    text = passage.text
    if passage.block.kind == "row":
        return _of_matrix(passage) or bounded(text)
    if (
        passage.block.kind == "item"
        and passage.role in WHOLE
        and not (passage.role == "goal" and is_answer(passage))
    ):
        return (
            bounded(text)
            if passage.role != "metric" and passage.role != "question"
            else _asked(split(text, lexicon_of(text)))
        )
    pieces = split(text, lexicon_of(text))
    if (
        passage.block.kind != "item"
        or passage.role not in _EXPLAINED
        or (is_cjk(text) and lexicon_of(text).language != "zh")
    ):
        return pieces
    joined: list[str] = []
    for piece in pieces:
        explains = not _asks(piece) if passage.role in ASKED else _EXPLAINS.match(piece) is not None
        if joined and explains and len(joined[-1]) + len(piece) < MAX_SENTENCE:
            start = text.find(joined[-1])
            at = text.find(piece, start + len(joined[-1]))
            joined[-1] = text[start : at + len(piece)] if 0 <= start < at else f"{joined[-1]} {piece}"
        else:
            joined.append(piece)
    return joined


def _of_matrix(passage: Passage) -> list[str]:
    """The cells of a row when each is a statement: below columns that only name a topic, such as the steps of a story map."""
    cells = [(header, cell.strip()) for header, cell in passage.block.cells if cell.strip()]
    topics = {header for header, _ in passage.block.cells}
    if passage.role not in ASKED | {""} or len(topics) < _COLUMNS or any(map(column_of, topics)):
        return []
    told = [cell for _, cell in cells if len(cell.split()) > _WORDS or cell.startswith("~~")]
    return [cell for cell in told if not cell.startswith("~~")] if cells and len(told) == len(cells) else []


def _asked(pieces: list[str]) -> list[str]:
    """Of what an item says the questions; all of it when there is none."""
    return [piece for piece in pieces if piece.rstrip().endswith(("?", "？"))] or pieces


def _asks(piece: str) -> bool:
    """Whether a sentence of an item asks for something of its own, excludes something, or is a question."""
    lex = lexicon_of(piece)
    return (
        any(pattern.search(piece) for _, pattern in lex.modals)
        or any(lex.find(name, piece) for name in ("exclusion", "dependency", "question"))
        or piece.rstrip().endswith(("?", "？"))
    )


def is_telling(text: str) -> bool:
    """Whether a text has enough words to say what is wanted: one alone names something at most."""
    words = keywords(text)
    return len(words) > 1


def lead_priority(lead: str) -> str:
    """The priority that "The system must:" gives to the items below it."""
    lex = lexicon_of(lead)
    return next((name for name, pattern in lex.modals if pattern.search(lead)), "")


def lexicon_for(language: str | None, text: str) -> Lexicon:
    return lexicon(language) if language in ("en", "zh") else lexicon_of(text)
