"""The statements of one block: its sentences, the parts between semicolons, the cells of a row."""
# ruff: noqa: E501 - patterns are read whole

from __future__ import annotations

import re

from orchestrator.domain.courtesies import is_courtesy
from orchestrator.domain.patterns import expression
from orchestrator.domain.text import is_cjk, keywords
from workers.documents.passage import Passage
from workers.documents.quantities import month_first
from workers.documents.reading_words import column_of
from workers.documents.tongues import tongue

MAX_SENTENCE = 1_200  # characters
_SEMICOLON = expression(r"(?<!&lt)(?<!&gt)(?<!&amp)(?<!&nbsp)(?:;(?=\s|[^\x00-\x7f])|；)\s*(?![^(（]*[)）])")
_BESIDE = frozenset({"id", "priority", "status", "aside", "likelihood", "impact", "release", "category"})
_CELL = 4  # keywords of a cell that states something of its own
_DAY = expression(r"(?<![\d.])\d{1,2}\.$")
_RULE = expression(  # what is so in every case, or under a condition
    r"\b(?:must|shall|should|never|always|only|at (?:least|most)|(?:no )?more than|(?:no )?(?:fewer|less) than|up to|each|every|within"
    r"|if|whenever|when|unless|until|as soon as|costs?|may|can(?:not|['’]t)|mustn['’]t|allowed|nobody|no one|automatically|by default)\b|^no\b|\bper \w"
    r"|必须|应|不得|不能|只|每|如果|超过|以内|至少|最多|自动|默认"
    r"|\b(?:muss|müssen|darf|dürfen|nur|jede[rsn]?|höchstens|mindestens|doi(?:t|vent)|chaque|seulement|debe|cada|solo|deve|ogni)\b",
    re.IGNORECASE,
)
_TODAY = expression(  # a state, a story, or what the writer thinks
    r"\b(?:now|today|currently|at the moment|at present|these days|so far|since|last (?:year|month|week|season|time|\w+day|spring|summer|autumn|winter)"
    r"|used to|was|were|had|did(?:n['’]t)?|got|went|came|said|told|asked|ago|still|yesterday|keeps?|heute|bisher|aujourd['’]hui|actuellement|hoy|oggi)\b"
    r"|\b(?:19|20)\d\d\b|\b\w+ed\b(?! (?:by|within|until))|现在|目前|去年|今年|昨|经常|常常|曾|上次",
    re.IGNORECASE,
)
_WRITER = expression(r"\b(?:I|I['’]\w+|my|me)\b")


def split(text: str, language: str) -> list[str]:
    """Sentences of one block; abbreviations, decimals and ellipses do not end one."""
    import sentencex  # type: ignore[import-untyped]

    language = "zh" if is_cjk(text) else tongue(text) or language  # 。 ends a sentence in Japanese too
    pieces: list[str] = []
    for piece in (each.strip() for each in sentencex.segment(language, text)):
        if pieces and _DAY.search(pieces[-1]) and month_first(piece):
            pieces[-1] = f"{pieces[-1]} {piece}"  # `before 1. | October`
        elif piece:
            pieces.append(piece)
    return [part for piece in pieces for part in bounded(piece)]


def bounded(piece: str) -> list[str]:
    """A sentence of many pages is none: it is cut, so that no rule takes minutes over it."""
    return [piece[i : i + MAX_SENTENCE] for i in range(0, len(piece), MAX_SENTENCE)]


def parts_of(sentence: str) -> list[str]:
    """The statements of one sentence between semicolons."""
    pieces = [piece.strip() for piece in _SEMICOLON.split(sentence)]
    pieces = [piece for piece in pieces if piece]
    return pieces if len(pieces) > 1 and all(len(piece) > 3 for piece in pieces) else [sentence.strip()]


def statements(passage: Passage) -> list[str]:
    """What a block says, each statement by itself; courtesies, lead-ins and words that state nothing are left out."""
    block = passage.block
    if block.kind == "row":
        cells = [cell.strip() for header, cell in block.cells if column_of(header) not in _BESIDE]
        return [cell for cell in cells if len(keywords(cell)) >= _CELL]
    if block.kind not in ("paragraph", "item"):
        return []
    pieces = [part for sentence in split(passage.text, "en") for part in parts_of(sentence)]
    return [piece for piece in pieces if _states(piece)]


def reads_as_rule(text: str) -> bool:
    """Whether a statement says what is always so, or so under a condition, and not how it is today."""
    return bool(_RULE.search(text)) and not _TODAY.search(text) and not _WRITER.search(text)


def _states(piece: str) -> bool:
    return len(keywords(piece)) > 1 and not piece.endswith((":", "：")) and not is_courtesy(piece)
