"""The lay-out of specifications in plain text, as Markdown: numbered headings, captions, and columns with hanging lines.

3.2 Functional requirements          ### Functional requirements
LIR-101    The inspector shall       - LIR-101: The inspector shall see the list.
           see the list.
Inspector        works in shafts     - **Inspector**: works in shafts
Registrar        archives cases      - **Registrar**: archives cases
"""
# ruff: noqa: E501 - patterns are read whole

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from orchestrator.domain.patterns import expression
from workers.documents.reading_words import column_of, role_of

_KEYED = expression(r"^(?P<deep> *)(?P<key>\[?[A-Z]{1,6}-?\d{1,4}(?:\.\d{1,3})*\]?)(?P<gap>\t| {2,})\S")
_NAMED = expression(
    r"^(?P<number>\d{1,2}(?:\.\d{1,2})+\.? +)?(?P<key>[^\s|#>*+\-\d•][^\t|:：]{1,38}?(?<![.!?,;]))(?P<gap> {2,})\S"
)
_HEADED = expression(
    r"^(?P<number>(?:[A-Z]\.)?\d{1,2}(?:\.\d{1,2}){0,3}|[A-Z](?=[.)] ))[.)]?[ \t]+(?P<title>[A-ZÀ-Ý\u4e00-\u9fff][^.!?;。！？；|]{1,58})$"
)
_NUMBER = expression(r"^(?P<number>(?:[A-Z]\.)?\d{1,2}(?:\.\d{1,2}){0,3})[.)]?[ \t]+\S")
_CAPTION = expression(
    r"^(?:表格?|附表|Table|Tabelle|Tableau|Tabla|List|Liste)\s*[\dA-Z]{1,3}\s*[.:：、–—-]?\s*(?P<title>[^\t|]{1,40})(?P<rest>\t.*)?$"
)
_PART = expression(
    r"^(\*\*|__)(?P<title>(?:Part|Chapter|Section|Annex|Appendix|Teil|Kapitel|Anhang|Partie|Chapitre|Annexe|Parte|Capítulo|Anexo) [A-Z\d]{1,3}\b.{0,60}?)\1(?:\s*\([^()]*\))?$"
)
_MIN = 2  # lines of one form that make it one of the text
_DEEP = 3  # spaces in front of a key from which it belongs to the one above
_WORDS = 9  # of a heading


def with_columns(lines: Sequence[str]) -> list[str]:
    """The lines, those of two columns with hanging lines each as one item."""
    made: list[str] = []
    fenced = False
    for blank, group in groupby(lines, key=lambda line: not line.strip()):
        rows = list(group)
        fences = sum(line.lstrip().startswith("```") for line in rows)
        made += rows if blank or fenced or fences else (_columns(rows) or rows)
        fenced = fenced != (fences % 2 == 1)
    return made


def _columns(rows: Sequence[str]) -> list[str]:
    """The rows as items, also where they stand indented below the line that names them; else nothing."""
    found = _in_columns(rows)
    below = 0 if rows[0].startswith(" ") else 1
    deep = min((len(row) - len(row.lstrip(" ")) for row in rows[below:]), default=0)
    if found or not deep:
        return found
    items = _in_columns([row[deep:] for row in rows[below:]])
    return [*rows[:below], *([""] if below else []), *items] if items else []


def _in_columns(rows: Sequence[str]) -> list[str]:
    """The rows of a paragraph as items when each begins with a key at the left or hangs below another; else nothing."""
    keyed = [_KEYED.match(row) for row in rows]
    found = keyed if any(keyed) else [_NAMED.match(row) for row in rows]
    first = next((at for at, match in enumerate(found) if match), len(rows))
    starts = {match.end() - 1 for match in found if match}
    ragged = len(starts) > 1 and not all(match["number"] for match in found if match and not any(keyed))
    if sum(match is not None for match in found) < _MIN or (not any(keyed) and (ragged or first)):
        return []
    least = min(starts) - 2
    items: list[str] = []
    for row, match in zip(rows[first:], found[first:], strict=True):
        if match and any(keyed):
            inner = "  " if len(match["deep"]) > _DEEP and items else ""
            items.append(f"{inner}- {match['key']}: {row[match.end() - 1 :].strip()}")
        elif match:
            items.append(f"- **{match['key'].strip()}**: {row[match.end() - 1 :].strip()}")
        elif len(row) - len(row.lstrip()) >= least:
            items[-1] += f" {row.strip()}"
        else:
            return []
    return [*rows[:first], *([""] if first else []), *items]


def with_captions(lines: Sequence[str]) -> list[str]:
    """The lines, each caption of a table or list as a heading; columns that stand in its line stay a line of their own."""
    found = {at: match for at, line in enumerate(lines) if (match := _CAPTION.match(line))}
    if len(found) < _MIN:
        return list(lines)
    made: list[str] = []
    for at, line in enumerate(lines):
        match = found.get(at)
        if match is None:
            made.append(line)
            continue
        title = match["title"].strip()
        made += ["", f"## {title}", ""]
        header = [title, *(cell.strip() for cell in (match["rest"] or "").split("\t")[1:])]
        table = at + 1 < len(lines) and lines[at + 1].count("\t") >= len(header) - 1 > 0
        if table and (column_of(title) or role_of(title)):
            made.append("\t".join(header))
    return made


def numbered_headings(lines: Sequence[str]) -> dict[int, tuple[int, str]]:
    """Line -> (depth of its number, title) of the headings of a text whose sections are numbered in several depths."""
    found: dict[int, tuple[str, str]] = {}
    for at, line in enumerate(lines):
        match = _HEADED.match(line.rstrip())
        if (
            match
            and len(match["title"].split()) <= _WORDS
            and not match["title"].rstrip().endswith((",", ":"))
        ):
            found[at] = (match["number"], match["title"].strip())
    said = {at: match["number"] for at, line in enumerate(lines) if (match := _NUMBER.match(line))}
    numbers = {*said.values()}
    nested = {number.rpartition(".")[0] for number in numbers if "." in number} & numbers
    if len(found) < _MIN + 1 or not nested:
        return {}
    return {
        at: (number.count(".") + 1, title)
        for at, (number, title) in found.items()
        if _opens(at, number, lines, said)
    }


def _opens(at: int, number: str, lines: Sequence[str], said: dict[int, str]) -> bool:
    """Whether something stands below a numbered line that belongs to it, rather than the next of its kind."""
    below = next((i for i in range(at + 1, len(lines)) if lines[i].strip()), -1)
    if below < 0:
        return False
    other = said.get(below)
    return other is None or other.startswith(f"{number}.")


def with_parts(lines: Sequence[str]) -> Iterator[str]:
    """The lines, with parts in bold (`**Part C – Specification**`) and what is numbered by their letters as headings."""
    parts = [at for at, line in enumerate(lines) if _PART.match(line.strip())]
    heads = numbered_headings(lines) if len(parts) >= _MIN else {}
    for at, line in enumerate(lines):
        part = _PART.match(line.strip()) if len(parts) >= _MIN else None
        if part:
            yield from ["", f"### {part['title']}", ""]
        elif at in heads:
            yield from ["", f"{'#' * min(6, 3 + heads[at][0] - 1)} {heads[at][1]}", ""]
        else:
            yield line
