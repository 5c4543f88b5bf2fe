"""What a mail or a commit says, apart from its head and its foot."""
# ruff: noqa: E501 - patterns are read whole

from __future__ import annotations

import re
from collections.abc import Sequence

from orchestrator.domain.patterns import expression
from workers.documents.reading_words import is_greeting

HEADING = expression(r"^ {0,3}#{1,6}\s", re.MULTILINE)
_COMMIT = expression(
    r"\A(?:commit [0-9a-f]{7,40}\b|From [0-9a-f]{40} |(?:feat|fix|docs|chore|refactor|build|ci|test|style|perf)(?:\([^)\n]*\))?!?: \S)"
)
_FIELD = r"(?:From|To|Cc|Bcc|Subject|Date|Sent|Reply-To|Von|An|Betreff|Datum|De|Para|À|Objet|Asunto|发件人|收件人|抄送|主题|日期)"
_MAIL = expression(rf"\A(?:{_FIELD}[:：] ?.*\n){{2,}}", re.IGNORECASE)
_HEADS = expression(rf"((?:^{_FIELD}[:：] ?.*\n){{2,}})", re.IGNORECASE | re.MULTILINE)
_FOOT = expression(r"-- ?$|_{5,}$|/[A-ZÀ-Ý][\w-]{1,20}$")
_SIGNATURE = expression(r"(?m)^-- ?\n(?:(?![-*#>|]|\d+[.)] ).{0,80}\n?){1,6}\Z")
_FAREWELL = expression(  # a line that ends a mail
    r"(?:(?:with |mit |met |con )?(?:(?:best|kind(?:est)?|warm(?:est)?|many|vielen?|freundlichen?|liebe|schöne|herzliche|beste|vriendelijke|hartelijke) )*(?:regards|wishes|thanks|greetings|grüßen?|grüsse|gruß|gruss|dank|groeten|groetjes|groet)"
    r"|greetings from (?-i:[A-Z]|an?\b|the\b)[\w ,'’-]{2,40}|cheers|thanks(?: a lot| again| in advance)?|thank you(?: very much)?|(?:yours )?(?:sincerely|faithfully|truly)|all the best|(?:bien )?cordialement|bien à vous|(?:un )?saludos?|atentamente|cordiali saluti|祝好|此致)"
    r"[,!.，！。]?(?:\s+(?-i:[A-ZÀ-Ý])[\w .'’-]{0,30})?\s*$",
    re.IGNORECASE,
)
_POSTSCRIPT = expression(r"\W*p\.? ?s\b", re.IGNORECASE)
_STRUCTURED = expression(r"\s*(?:[-*+•#|] |\d{1,2}[.)] |\[[ x]\])")
_LONGEST_FOOT = 12  # lines of a signature with what a company adds to each mail
_QUOTED = expression(r"(?m)^(?:> ?)+")
_PASSES_ON = expression(  # a mail that hands on what it quotes
    r"\A(?:(?!\n\n|\n-{3,}|\n>)[\s\S]){0,1000}?^(?:Subject|Betreff|Objet|Asunto|主题|件名)[:：] ?(?:FWD?|WG|TR|RV|转发)[:：]"
    r"|\A(?:(?!\n>|\n-{3,})[\s\S]){0,2000}?\b(?:see (?:the )?(?:\w+ )?below|(?:is|are|stands?|comes?) below|i forward|forwarding|siehe unten|steht unten|leite .{2,30} weiter|voir ci-dessous|je (?:vous )?transfère|ver abajo|reenvío)\b",
    re.IGNORECASE | re.MULTILINE,
)
_SUBJECT = expression(r"\A(?:Subject|Re|Betreff|Objet|Asunto|主题|件名)[:：] ?.*\n", re.IGNORECASE)
_QUOTING = expression(
    r"> ?|On .{4,60}wrote:$|Am .{4,60}schrieb.{0,60}:$|Le .{4,60}a écrit ?:$|El .{4,60}escribió:$|-{3,} ?Original"
)
_ANSWERED = expression(  # a mail without its head that quotes what it answers
    r"(?m)^(?:On .{4,60}wrote:|Am .{4,60}schrieb.{0,60}:|Le .{4,60}a écrit ?:|El .{4,60}escribió:|.{2,40}写道[:：])[ \t]*\n(?:[ \t]*\n)?> ?\S"
)


def of_message(text: str) -> tuple[str, str, str]:
    """(its head, what it says, the rest). A mail says what it hands on, and not what it only answers."""
    if _MAIL.match(text) or _ANSWERED.search(text) or _is_signed(text) or _is_letter(text):
        return _letters(_QUOTED.sub("", text) if _PASSES_ON.match(text) else text)
    subject = _SUBJECT.match(text)
    if subject:
        return subject[0].strip(), text[subject.end() :], ""
    heading = HEADING.search(text) if _COMMIT.match(text) else None
    return (text[: heading.start()].strip(), text[heading.start() :], "") if heading else ("", text, "")


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
