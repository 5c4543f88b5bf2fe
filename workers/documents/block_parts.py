"""The statements of one block: its sentences, the parts between semicolons, the cells of a row."""
# ruff: noqa: E501 - patterns are read whole

from __future__ import annotations

import re
from collections.abc import Callable

from orchestrator.domain.courtesies import is_courtesy
from orchestrator.domain.patterns import expression
from orchestrator.domain.text import is_cjk, keywords
from orchestrator.domain.tongues import tongue
from workers.documents.passage import Passage
from workers.documents.quantities import month_first
from workers.documents.reading_words import column_of
from workers.documents.technologies import refuses

MAX_SENTENCE = 1_200  # characters
_SEMICOLON = expression(r"(?<!&lt)(?<!&gt)(?<!&amp)(?<!&nbsp)(?:;(?=\s|[^\x00-\x7f])|；)\s*(?![^(（]*[)）])")
_BESIDE = frozenset({"id", "priority", "status", "aside", "likelihood", "impact", "release", "category"})
_CELL = 4  # keywords of a cell that states something of its own
_DAY = expression(r"(?<![\d.])\d{1,2}\.$")
_UNIT_END = expression(r"(?<=\d [a-zA-Z]\.)\s+(?=[A-Z])")  # `in less than 2 s. Not needed: ...`
_COMMA = expression(r"[，,]\s*")
_MAKES = expression(  # a sentence that asks for a thing, and lists behind commas what it does
    r"^(?:请|麻烦|帮(?:我们?|忙)|给我们?|我们?|咱们|公司|团队|学校|医院|店里|现在|目前|想要?|需要|希望|打算|计划|准备|要|能否|可以|有|(?:用|使用|基于)[A-Za-z0-9 .+#-]{1,20}?)*"
    r"(?:(?:做|写|开发|设计|搭建|实现|建设?|弄|搞|制作|构建)(?:一?[个款套份]|.{0,12}(?:系统|平台|程序|网站|工具|应用|软件|APP|网页|插件|脚本|服务))|(?:需要|想要?)一?[个款套份]|(?:为|给).{1,15}?(?:添加|增加|加上|新增|做|写|开发|实现))",
    re.IGNORECASE,
)
_LEANS = expression(  # a clause that belongs to the one before it
    r"^(?:如果|假如|若|当|因为|由于|以便|以防|这样|好让|所以|因此|超过(?=返回|则|就|时)|从而|虽然|尽管|但|不过|否则|例如|比如|比方说|譬如|包括|包含|其中|即|也就是|让|使|不(?:要|用|必)?再|避免|防止|其他|等等?)"
)
_NO = r"(?:不(?:做|需要|用做|要(?!求|再)|包括|包含|考虑|涉及|支持|提供)|无需|不必|别做|没必要)"
_RULES_OUT = expression(_NO)
_RULED_OUT = expression(rf"^(?:也|先|暂时?|目前|本期|第一版)*{_NO}")
_OF_ITS_OWN = expression(  # a clause with somebody who does something
    r"^(?!如果|当|若|这样|并|且|还|也|都|就|则)[一-鿿]{1,9}?(?:员|者|师|人|户|客|方|长|生|主|家|系统|平台|程序)(?:们)?(?:可以|能够?(?!源)|必须|应该|应当|需要|不能|不得)"
)
_ASKS_FOR = expression(
    r"^(?:please |(?:can|could) you (?:please )?|(?:i|we) (?:want|need|would like)(?: you)? (?:to )?)?(?:build|create|make|write|develop|implement|design|add)\b",
    re.IGNORECASE,
)
_RULES = expression(
    r"^(?:and |but |it |which |(?:users?|people|customers?|visitors?|members?|admins?|everybody|everyone) )?(?:(?:must|should|shall|(?:has|have) to|needs? to|may|can(?:not|['’]t))(?: not|n['’]t)? \w|(?:do not|don['’]t|never|no(?! (?:more|less|fewer|later|longer|earlier|sooner|other|one) )|without|nothing) \w)",
    re.IGNORECASE,
)
_GOES_ON = expression(
    r"(?:and|but) (?!(?:it|which|users?|people|customers?|visitors?|members?|admins?|every)\b)", re.IGNORECASE
)
_LISTS = expression(r"(?:(?<!\d)[,，、]|[,，、](?!\d{3}(?!\d)))\s*(?:(?:and|und|et|y)\s+)?(?![^(（]*[)）])")
_SAYS_MORE = expression(  # a part behind a comma that says nothing without the one before it
    r"(?:which|who|that|where|when|if|because|since|but|so|or|as|including|such|e\.g|i\.e|not|only|then|at|in|on|by|for|with|from|of|\w+(?:ed|ing))\b",
    re.IGNORECASE,
)
_CONDITION = expression(r"(?:时|后|前|期间|情况下|的话|之外)$|^(?:如果|假如|若|当|只要|除非|即使|没有)")
_LISTED, _SHORTEST = 3, 3  # clauses of a list; characters of one
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
            pieces += _UNIT_END.split(piece)
    return [part for piece in pieces for part in bounded(piece)]


def bounded(piece: str) -> list[str]:
    """A sentence of many pages is none: it is cut, so that no rule takes minutes over it."""
    return [piece[i : i + MAX_SENTENCE] for i in range(0, len(piece), MAX_SENTENCE)]


def parts_of(sentence: str) -> list[str]:
    """The statements of one sentence between semicolons, in Chinese also those between commas that stand by themselves."""
    pieces = [piece.strip() for piece in _SEMICOLON.split(sentence)]
    pieces = [piece for piece in pieces if piece]
    if len(pieces) < 2 or any(len(piece) <= 3 for piece in pieces):
        pieces = [sentence.strip()]
    return [part for piece in pieces for part in _clauses(piece)]


def lists_what_it_does(sentence: str) -> bool:
    """Whether a sentence asks for a thing and says behind commas what it does or does not."""
    if not is_cjk(sentence):
        return _ASKS_FOR.match(sentence) is not None and len(_ruled(sentence)) > 1
    return _MAKES.match(sentence) is not None and len(_listed(sentence)) >= _LISTED


def several(text: str, longest: int) -> list[str]:
    """What a line lists behind a label, each by itself (`one server, no cloud`); a sentence with commas of its own is one."""
    pieces = [piece.strip() for piece in _LISTS.split(text.rstrip(".。"))]
    apart = all(piece and len(piece.split()) <= longest for piece in pieces) and not any(
        _SAYS_MORE.match(piece) for piece in pieces[1:]
    )
    return pieces if len(pieces) > 1 and apart else [text]


def _clauses(sentence: str) -> list[str]:
    """The clauses of a Chinese sentence that lists what a thing does; of another one, those that rule something out.

    Of an English one that asks for a thing, those that say what must be so and what is not wanted.
    """
    if lists_what_it_does(sentence):
        return _listed(sentence) if is_cjk(sentence) else _ruled(sentence)
    if not is_cjk(sentence):
        return _joined(sentence, lambda _, piece: not refuses(piece))
    return _joined(
        sentence,
        lambda before, piece: (
            any(pattern.search(before) for pattern in (_CONDITION, _RULES_OUT))
            or not any(pattern.match(piece) for pattern in (_RULED_OUT, _OF_ITS_OWN))
        ),
    )


def _ruled(sentence: str) -> list[str]:
    told = ":" in sentence  # behind a colon somebody else may be who `and cannot ...` speaks of
    return _joined(
        sentence, lambda _, piece: not _RULES.match(piece) or (told and _GOES_ON.match(piece) is not None)
    )


def _listed(sentence: str) -> list[str]:
    return _joined(sentence, lambda before, piece: _LEANS.match(piece) is not None or len(piece) < _SHORTEST)


def _joined(sentence: str, leans: Callable[[str, str], bool]) -> list[str]:
    """The clauses of a sentence, in its own words: those that lean on the one before them stay with it."""
    parts: list[str] = []
    start = at = 0
    before = ""
    for piece in filter(None, _COMMA.split(sentence)):
        found = sentence.index(piece, at)
        if before and not leans(before, piece):
            parts.append(sentence[start:at])
            start = found
        at, before = found + len(piece), piece
    parts.append(sentence[start:])
    return parts


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
