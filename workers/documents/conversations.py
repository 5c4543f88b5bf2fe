"""What a mail, a chat or a commit says, apart from its head, its foot and who said it when."""
# ruff: noqa: E501 - patterns are read whole

from __future__ import annotations

import re
from collections.abc import Sequence

from orchestrator.domain.patterns import expression
from workers.documents.reading_words import (
    attribute_of,
    is_greeting,
    role_of,
)

HEADING = expression(r"^ {0,3}#{1,6}\s", re.MULTILINE)
_COMMIT = expression(
    r"\A(?:commit [0-9a-f]{7,40}\b|From [0-9a-f]{40} |(?:feat|fix|docs|chore|refactor|build|ci|test|style|perf)(?:\([^)\n]*\))?!?: \S)"
)
_FIELD = r"(?:From|To|Cc|Bcc|Subject|Date|Sent|Reply-To|Von|An|Betreff|Datum|De|Para|À|Objet|Asunto|发件人|收件人|抄送|主题|日期)"
_MAIL = expression(rf"\A(?:{_FIELD}[:：] ?.*\n){{2,}}", re.IGNORECASE)
_HEADS = expression(rf"((?:^{_FIELD}[:：] ?.*\n){{2,}})", re.IGNORECASE | re.MULTILINE)
_TALK = expression(  # `Nadia  10:02`, `[10:02] Nadia: ...`, `Nadia (10:02): ...`, `Nadia: ...`
    r"^(?:(?P<clock>\[?\d{1,2}[:.]\d\d(?::\d\d)?(?: ?[AaPp][Mm])?\]?)\s+)?[<*@]*(?P<name>[A-Z\u00c0-\u00dc\u4e00-\u9fff][\w.-]{0,15}(?: [A-Z\u00c0-\u00dc][\w.-]{0,15})?)[>*]*"
    r"(?:\s+[\[(]?(?P<time>\d{1,2}[:.]\d\d(?::\d\d)?(?: ?[AaPp][Mm])?)[\])]?)?\s*(?P<colon>[:：]?)\s*(?P<said>.*)$"
)
_SPOKEN = expression(
    r"[?？]\s*$|\b(?:I|I[’']\w+|we|you|your|yes|no|ok|okay|sure|thanks|agreed|let[’']s|right|hi|hello|maybe|ja|nein|wir|ihr|oui|non|nous|vous|sí|nosotros)\b|[我你您咱]|好的|可以吗|嗯",
    re.IGNORECASE,
)
_FOOT = expression(r"-- ?$|_{5,}$")
_SIGNATURE = expression(r"(?m)^-- ?\n(?:(?![-*#>|]|\d+[.)] ).{0,80}\n?){1,6}\Z")
_FAREWELL = expression(  # a line that ends a mail
    r"(?:(?:with |mit |met |con )?(?:(?:best|kind(?:est)?|warm(?:est)?|many|vielen?|freundlichen?|liebe|schöne|herzliche|beste|vriendelijke|hartelijke) )*(?:regards|wishes|thanks|greetings|grüßen?|grüsse|gruß|gruss|dank|groeten|groetjes|groet)"
    r"|cheers|thanks(?: a lot| again| in advance)?|thank you(?: very much)?|(?:yours )?(?:sincerely|faithfully|truly)|all the best|(?:bien )?cordialement|bien à vous|(?:un )?saludos?|atentamente|cordiali saluti|祝好|此致)"
    r"[,!.，！。]?(?:\s+(?-i:[A-ZÀ-Ý])[\w .'’-]{0,30})?\s*$",
    re.IGNORECASE,
)
_POSTSCRIPT = expression(r"\W*p\.? ?s\b", re.IGNORECASE)
_STRUCTURED = expression(r"\s*(?:[-*+•#|] |\d{1,2}[.)] |\[[ x]\])")
_LONGEST_FOOT = 12  # lines of a signature with what a company adds to each mail
_SUBJECT = expression(r"\A(?:Subject|Re|Betreff|Objet|Asunto|主题|件名)[:：] ?.*\n", re.IGNORECASE)
_QUOTING = expression(
    r"> ?|On .{4,60}wrote:$|Am .{4,60}schrieb.{0,60}:$|Le .{4,60}a écrit ?:$|El .{4,60}escribió:$|-{3,} ?Original"
)
_ANSWERED = expression(  # a mail without its head that quotes what it answers
    r"(?m)^(?:On .{4,60}wrote:|Am .{4,60}schrieb.{0,60}:|Le .{4,60}a écrit ?:|El .{4,60}escribió:|.{2,40}写道[:：])[ \t]*\n(?:[ \t]*\n)?> ?\S"
)


def of_message(text: str) -> tuple[str, str, str]:
    if _MAIL.match(text) or _ANSWERED.search(text) or _is_signed(text) or _is_letter(text):
        return _letters(text)
    subject = _SUBJECT.match(text)
    if subject:
        return subject[0].strip(), text[subject.end() :], ""
    heading = HEADING.search(text) if _COMMIT.match(text) else None
    return (text[: heading.start()].strip(), text[heading.start() :], "") if heading else ("", text, "")


def of_chat(lines: list[str]) -> tuple[str, str, str] | None:
    """A chat: what its people say, each line by itself; who said it when stands behind. None for any other text."""
    found = [_TALK.match(line) for line in lines]
    turns = [
        turn
        if turn
        and (turn["clock"] or turn["time"] or (turn["colon"] and turn["said"]))
        and not (turn["said"] and not turn["colon"])
        and not role_of(turn["name"])
        and not attribute_of(turn["name"])
        else None
        for turn in found
    ]
    names = [turn["name"] for turn in turns if turn]
    timed = sum(bool(turn and (turn["clock"] or turn["time"])) for turn in turns)
    if len(names) < 4 or len(set(names)) < 2 or len(set(names)) * 2 > len(names):
        return None
    if not timed:  # `Add: ...`, `Remove: ...` are labels
        spoken = sum(bool(turn and _SPOKEN.search(turn["said"])) for turn in turns)
        if len(names) * 2 < sum(bool(line.strip()) for line in lines) or spoken * 3 < len(names):
            return None
    heads, said = [], []
    for line, turn in zip(lines, turns, strict=True):
        if turn:
            heads.append(line[: turn.start("said")].strip())
        said += ["", turn["said"] if turn else line]
    return "", "\n".join(said), "\n".join(heads)


def _is_signed(text: str) -> bool:
    """Whether a text ends with the signature of a mail, below the line `--` (RFC 3676) and a greeting or thanks before it."""
    found = _SIGNATURE.search(text)
    before = [line for line in text[: found.start()].split("\n") if line.strip()] if found else []
    return any(is_greeting(line.strip()) for line in (*before[:1], *before[-3:]))


def _is_letter(text: str) -> bool:
    """Whether a text begins with a greeting and ends with a farewell."""
    said = [line.strip() for line in text.split("\n") if line.strip()]
    greets = any(is_greeting(line) for line in said[:1])
    return greets and _farewell(said) is not None


def _farewell(lines: Sequence[str]) -> int | None:
    """The line at which a mail takes leave, where only a signature stands behind it."""
    for at in range(len(lines) - 1, 0, -1):
        if not _FAREWELL.match(lines[at].strip()):
            continue
        quoted = (by for by in range(at, len(lines)) if _QUOTING.match(lines[by]))
        behind = [line for line in lines[at + 1 : next(quoted, len(lines))] if line.strip()]
        alone = len(behind) <= _LONGEST_FOOT and not any(map(_STRUCTURED.match, behind))
        return at if alone else None
    return None


def _letters(text: str) -> tuple[str, str, str]:
    """The head of the first mail, what the mails say, and the rest: further heads, feet and what they quote."""
    head = ""
    said: list[str] = []
    rest: list[str] = []
    foot = False
    for part in _HEADS.split(text):
        if _HEADS.fullmatch(part):
            head, foot = (head or part, False) if not head else (head, False)
            rest += [part] if part != head else []
            continue
        lines = part.split("\n")
        farewell = _farewell(lines)
        for at, line in enumerate(lines):
            foot = foot or _FOOT.match(line) is not None or at == farewell
            if _POSTSCRIPT.match(line):
                foot = False
            aside = foot or _QUOTING.match(line) is not None
            (rest if aside else said).append(line)
    return head.strip(), "\n".join(said), "\n".join(rest).strip()
