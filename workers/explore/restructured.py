"""reStructuredText as prose: its directives, fields, tables and adornments are markup and say nothing about a project."""

from __future__ import annotations

import re
from collections.abc import Sequence

from orchestrator.domain.patterns import expression

_ADMONITIONS = frozenset(
    [
        "admonition",
        "attention",
        "caution",
        "danger",
        "error",
        "hint",
        "important",
        "note",
        "seealso",
        "tip",
        "warning",
        "topic",
        "sidebar",
    ]
)
_VERSIONS = frozenset(["versionadded", "versionchanged", "deprecated", "versionremoved"])
_OBJECTS = frozenset(
    [
        "module",
        "class",
        "function",
        "method",
        "attribute",
        "data",
        "exception",
        "property",
        "decorator",
        "option",
        "describe",
        "object",
        "confval",
    ]
)  # the line is a signature, what stands below it is prose
_DIRECTIVE = expression(r"^(?P<margin>\s*)\.\.\s+(?:[\w-]+:)*(?P<name>[\w-]+)::(?:\s+(?P<rest>.*))?$")
_MARKUP = expression(r"^(?P<margin>\s*)\.\.(?:\s|$)")  # a comment, target, footnote or substitution
_FIELD = expression(
    r"^\s*:(?P<name>[A-Za-z][\w-]{0,40})(?: (?P<of>[\w.\[\],| *]{1,80}))?:(?:\s+(?P<rest>\S.*))?$"
)
_TOLD = frozenset(
    [
        "param",
        "parameter",
        "arg",
        "argument",
        "key",
        "keyword",
        "kwarg",
        "var",
        "ivar",
        "cvar",
        "raises",
        "raise",
        "except",
        "exception",
        "return",
        "returns",
    ]
)  # fields of a docstring that say something
_ADORNMENT = expression(r"^\s*([-=~^\"'`#*+.:_<>])\1{2,}\s*$")
_BORDER = expression(r"^\s*(?:=+(?: +=+)+|\+[-=+]+\+)\s*$")
_PROMPT = expression(r"^\s*(?:>>>|\.\.\.)(?:\s|$)")
_ROLE = expression(r"(?<!\w):(?:[\w.+-]{1,40}:){1,3}`(?P<text>[^`]+)`")
_LINK = expression(r"`(?P<text>[^`<]{1,200}?) ?<[^`>]+>`_{1,2}|`(?P<name>[^`]+)`_{1,2}(?!\w)")
_FOOTNOTE = expression(r"\s*\[(?:\d+|#\w*|\*)\]_(?!\w)")


def prose(lines: Sequence[str]) -> list[str]:
    """The document's lines, as many as there are: empty where there is no prose, else without the markup around it."""
    found = [""] * len(lines)
    below: int | None = None  # the margin of what is left out with everything that is indented further
    until_blank = False  # of a table or an example, which are left out
    for at, line in enumerate(lines):
        if not line.strip():
            until_blank = False
            continue
        margin = len(line) - len(line.lstrip())
        if below is not None and margin > below:
            continue
        below = None
        until_blank = until_blank or bool(_BORDER.match(line) or _PROMPT.match(line))
        if until_blank:
            continue
        if _ADORNMENT.match(line):
            if at:
                found[at - 1] = ""  # a title
            continue
        text, below = _read(line, margin)
        if text.endswith("::"):
            text, below = (
                text[:-1].removesuffix(" :") if len(text.strip()) > 2 else "",
                margin,
            )  # the rest is literal
        found[at] = text
    return found


def _read(line: str, margin: int) -> tuple[str, int | None]:
    """The prose of a line, and the margin below which what is indented further is none."""
    if directive := _DIRECTIVE.match(line):
        name, rest = directive["name"].lower(), directive["rest"] or ""
        if name in _ADMONITIONS:
            return in_words(rest), None
        if name in _VERSIONS:
            return in_words(rest.partition(" ")[2]), None
        return "", None if name in _OBJECTS else margin
    if _MARKUP.match(line):
        return "", margin
    if field := _FIELD.match(line):
        told = said_by(field)
        return (f"- {told}", None) if told else ("", margin)
    return in_words(line), None


def field_of(line: str) -> str | None:
    """What a field such as `:param x: the name` says: `x: the name`, or nothing; None for a line that is no field."""
    field = _FIELD.match(line)
    return None if field is None else said_by(field)


def said_by(field: re.Match[str]) -> str:
    """What the field says in words; nothing for one that gives a type or an option."""
    rest = in_words(field["rest"] or "")
    if field["name"].lower() not in _TOLD or not rest:
        return ""
    names = (field["of"] or "").split()
    return f"{names[-1]}: {rest}" if names else rest


def is_markup(line: str) -> bool:
    """Whether a line of a docstring begins a directive or an example rather than words."""
    return bool(_MARKUP.match(line) or _PROMPT.match(line) or _ADORNMENT.match(line))


def in_words(text: str) -> str:
    """The text without roles, links and marks of literals: ":class:`~a.Name`" is "`Name`"."""
    if "`" in text:
        text = _ROLE.sub(_role_in_words, text)
        text = _LINK.sub(lambda match: match["text"] or match["name"], text).replace("``", "`")
    return _FOOTNOTE.sub("", text) if "]_" in text else text


def _role_in_words(match: re.Match[str]) -> str:
    text = match["text"].partition(" <")[0]
    return f"`{text[1:].rpartition('.')[2] if text.startswith('~') else text.lstrip('!')}`"
