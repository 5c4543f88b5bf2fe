"""Other markup as Markdown: headings of wikis, AsciiDoc, Org and HTML, tables of tabs, text that is quoted or indented as a whole."""
# ruff: noqa: E501 - patterns are read whole

from __future__ import annotations

import re
import textwrap
from collections.abc import Callable, Iterable, Iterator
from itertools import groupby

from orchestrator.domain.patterns import expression
from workers.documents.drawn_tables import with_drawn_tables
from workers.documents.spec_lines import with_captions

_MANY = 2  # lines of a markup from which a text is taken to be written in it
_MOST = 0.8  # share of the lines that are quoted or indented when all are meant to be
_HEADINGS: tuple[tuple[re.Pattern[str], Callable[[re.Match[str]], str]], ...] = (
    (
        expression(r"^h([1-6])\.[ \t]+(\S.*)$", re.MULTILINE),
        lambda m: f"{'#' * int(m[1])} {m[2]}",
    ),  # Jira, Textile
    (
        expression(r"^(={1,6})[ \t]*([^=\n]+?)[ \t]*\1[ \t]*$", re.MULTILINE),
        lambda m: f"{'#' * len(m[1])} {m[2]}",
    ),  # MediaWiki
    (
        expression(r"^(={1,6})[ \t]+([^=\n]+)$", re.MULTILINE),
        lambda m: f"{'#' * len(m[1])} {m[2]}",
    ),  # AsciiDoc
    (
        expression(r"^(#{1,6})(?=[^\s#\da-z!\[/-]|\d{1,2}(?:\.\d+)*[.)]?\s)(.+)$", re.MULTILINE),
        lambda m: f"{m[1]} {m[2]}",
    ),
    (
        expression(r"<h([1-6])(?:\s[^>]*)?>\s*(.*?)\s*</h\1>", re.IGNORECASE | re.DOTALL),
        lambda m: f"\n\n{'#' * int(m[1])} {' '.join(m[2].split())}\n\n",
    ),
)
_HASH = expression(r"^#{1,6}\s", re.MULTILINE)
_RULED = expression(
    r"^(?:([=~^\"+*#-])\1{2,}[ \t]*\n)?(?![|>*+-]|\d+[.)] .{60})(\S.{1,78})\n([=~^\"+*-])\3{2,}[ \t]*$",
    re.MULTILINE,
)  # reStructuredText, and Markdown's own
_NUMBERED_RULED = expression(
    r"^(\d{1,2}(?:\.\d{1,2})*[.)]? \S.{1,70})\n([=-])\2{2,}[ \t]*$", re.MULTILINE
)  # no list
_SIMPLE_TABLE = expression(
    r"^(?P<rule>=+(?: +=+)+)[ \t]*\n(?P<head>\S.*)\n(?P=rule)[ \t]*\n(?P<body>(?:(?!=+ ).*\n)+?)(?P=rule)[ \t]*$",
    re.MULTILINE,
)
_TABLE_RULE = expression(  # a header, and the rule below it
    r"^([ \t]*\|.+\|)[ \t]*\n[ \t]*\|((?:[ \t]*:?-+:?[ \t]*\|){2,})[ \t]*$", re.MULTILINE
)
_STARS = expression(r"^(\*{1,6})[ \t]+(\S.*)$", re.MULTILINE)  # Org, where no list is written with stars
_ITEM = expression(
    r"<li(?:\s[^>]*)?>\s*(.*?)\s*(?=</li>|<li|</ul>|</ol>)(?:</li>)?", re.IGNORECASE | re.DOTALL
)
_LISTS = expression(r"</?(?:ul|ol)(?:\s[^>]*)?>", re.IGNORECASE)
_PARAGRAPH = expression(r"<p(?:\s[^>]*)?>\s*(.*?)\s*</p>", re.IGNORECASE | re.DOTALL)
_SUMMARY = expression(
    r"^[ \t]*(?:<details[^>]*>\s*)?<summary(?:\s[^>]*)?>\s*(?:<(?:b|strong)>)?\s*([^<\n]{2,80}?)\s*(?:</(?:b|strong)>)?\s*</summary>[ \t]*$",
    re.IGNORECASE | re.MULTILINE,
)
_QUOTE = expression(r"^> ?", re.MULTILINE)


def as_hashes(text: str) -> str:
    """The text with Markdown's marks where it has those of another markup."""
    text = with_drawn_tables(_set_back(text))
    text = _NUMBERED_RULED.sub(lambda m: f"{'#' if m[2] == '=' else '##'} {m[1]}", text)
    text = _SIMPLE_TABLE.sub(_ruled_table, text) if _SIMPLE_TABLE.search(text) else text
    text = _TABLE_RULE.sub(_fitting, text)
    if not _HASH.search(text):
        text = _underlined(text)
    if not _HASH.search(text):
        for pattern, heading in _HEADINGS:
            if len(pattern.findall(text)) >= _MANY:
                text = pattern.sub(heading, text)
                break
        else:
            text = _of_stars(text)
    if "<summary" in text:
        text = _SUMMARY.sub(r"\n\n<details><summary>\1</summary>\n\n", text)
    text = "\n".join(_in_a_row(line) if line.lstrip().startswith("|") else line for line in text.split("\n"))
    if len(_ITEM.findall(text)) >= _MANY:
        text = _LISTS.sub("\n", _ITEM.sub(lambda m: f"\n- {' '.join(m[1].split())}", text))
    if len(_PARAGRAPH.findall(text)) >= _MANY:
        text = _PARAGRAPH.sub(r"\n\n\1\n\n", text)
    return "\n".join(_tables(with_captions(text.split("\n")))) if "\t" in text else text


def _ruled_table(match: re.Match[str]) -> str:
    """A table of reStructuredText between ruled lines: its columns begin where those of the rule do."""
    rule = match["rule"]
    starts = [run.start() for run in re.finditer(r"=+", rule)]
    spans = list(zip(starts, [*starts[1:], None], strict=True))

    def row(line: str) -> str:
        return f"| {' | '.join(line[start:end].strip().replace('|', '/') for start, end in spans)} |"

    body = [line for line in match["body"].split("\n") if line.strip()]
    return "\n".join(["", row(match["head"]), "|" + "---|" * len(spans), *map(row, body), ""])


def _fitting(match: re.Match[str]) -> str:
    """A header with a rule of as many cells: with more or fewer it would be no table, which its author meant."""
    cells = len(re.findall(r"(?<!\\)\|", match[1])) - 1
    return match[0] if match[2].count("|") == cells else f"{match[1]}\n|{'---|' * cells}"


def _set_back(text: str) -> str:
    """The text without the mark of a quotation or the indentation that all of it has; its first line may have lost it."""
    first, _, rest = text.partition("\n")
    lines = [line for line in rest.split("\n") if line.strip()]
    if len(lines) > _MANY and sum(line.startswith(">") for line in lines) > _MOST * len(lines):
        return _QUOTE.sub("", text)
    if (
        len(lines) > _MANY
        and not first.startswith((" ", "\t"))
        and all(line.startswith((" ", "\t")) for line in lines)
    ):
        return f"{first}\n{textwrap.dedent(rest)}"
    return textwrap.dedent(text)


def _in_a_row(line: str) -> str:
    """A row of a table with the lists of its cells in one line."""
    if "<li" not in line:
        return line
    marked = re.sub(r"\s*<li(?:\s[^>]*)?>\s*", " • ", re.sub(r"</li>", "", line))
    return _LISTS.sub("", marked)


def _underlined(text: str) -> str:
    """Titles with a line below them, or above as well, as headings; which line comes first is the highest."""
    levels: dict[tuple[str, bool], int] = {}

    def heading(match: re.Match[str]) -> str:
        level = levels.setdefault((match[3], match[1] is not None), len(levels) + 1)
        return f"\n{'#' * min(level, 6)} {match[2].strip()}\n"

    found = [match for match in _RULED.finditer(text) if len(match[0].splitlines()[-1]) >= 3]
    return _RULED.sub(heading, text) if len(found) >= _MANY else text


def _of_stars(text: str) -> str:
    """Org's headings: lines of one star and of two, where items begin with something else."""
    found = [match[1] for match in _STARS.finditer(text)]
    deep = {len(stars) for stars in found}
    if len(found) >= _MANY and len(deep) > 1 and found[0] == "*":
        return _STARS.sub(lambda m: f"{'#' * len(m[1])} {m[2]}", text)
    return text


def _tables(lines: Iterable[str]) -> Iterator[str]:
    """Lines of cells between tabs, several below each other, as a table; what stands alone above its header is a heading."""
    for tabbed, group in groupby(
        lines, key=lambda line: "\t" in line.strip(" ") and not line.startswith("\t")
    ):
        rows = list(group)
        while tabbed and len(rows) > 1 and "\t" not in rows[0].strip():
            yield from ("", f"## {rows.pop(0).strip()}", "")
        if not tabbed or len(rows) < _MANY:
            yield from rows
            continue
        width = max(row.count("\t") for row in rows) + 1
        yield ""
        for at, row in enumerate(rows):
            cells = [cell.strip().replace("|", "/") for cell in row.split("\t")]
            yield f"| {' | '.join(cells + [''] * (width - len(cells)))} |"
            if at == 0:
                yield f"|{'---|' * width}"
        yield ""
