"""What a person wrote by hand into the pages of a document, in its next version: carried, or named as left behind."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from orchestrator.domain.dataclass import dataclass, replace
from orchestrator.domain.documents import DocumentDef
from workers.context.run_context import RunContext
from workers.documents.as_written import rewritten
from workers.documents.by_hand import ByHand, Line
from workers.documents.carried import (
    changed_headings,
    changed_lines,
    is_movable,
    key_of,
    missing,
    returned,
    told,
    with_newer,
)
from workers.documents.content import Content, Discovery
from workers.documents.frame import RenderContext
from workers.documents.identifiers import IDENTIFIER, Registered
from workers.documents.labels import labels
from workers.roles.drafting import form

MOST = 50  # lines of one document that are named
MOST_CARRIED = 200  # and that are carried from one edit


@dataclass(frozen=True, slots=True)
class Carried:
    """The new version with the person's lines; `lines`: those beside its content; `lost`: what is said of the others."""

    registered: Registered
    lines: tuple[str, ...] = ()
    lost: tuple[str, ...] = ()


def carry(
    context: RunContext,
    document: DocumentDef,
    made: Registered,
    delivered: Registered,
    left: Content,
    shown: RenderContext,
    named: Collection[str],
) -> Carried:
    """The new version `made`, compared with what a person left of the one before.

    `delivered`: that version as it was registered; `left`: what its pages say; `named`: items that the person's later
    words are about.
    """
    edits = dict(_edits(context, document))
    before = _without(delivered.by_hand, edits.get(document.path, ([], [])))
    made = replace(made, by_hand=before)
    if not edits:
        return Carried(made)
    written, struck = edits.get(document.path, ([], []))
    headings = with_newer(before.headings, _renamed(context, document))
    made = replace(made, by_hand=before._replace(headings=headings))
    pages = _pages(context, document, made, shown)
    new = [line for line in missing(written, pages.values()) if is_movable(line)][:MOST_CARRIED]
    again = [line for line in returned(struck, pages.get(document.path, "")) if is_movable(line)]
    made = replace(made, by_hand=ByHand((*before.written, *new), (*before.struck, *again), headings))
    pages = _pages(context, document, made, shown)
    known = rewritten({document.kind: delivered.content}, {document.kind: left})
    lost: list[str] = []
    for path, (lines, _) in edits.items():
        free = {*named, *known} if path == document.path else {*named}
        lost += [
            _lost(path, line, shown)
            for line in missing(lines, pages.values())
            if not _about(path, line, free)
        ]
    carried = tuple(told(line) for line in new if line not in missing(new, pages.values()))
    return Carried(_asking(made, lost[:MOST]), carried, tuple(lost[:MOST]))


def _edits(context: RunContext, document: DocumentDef) -> Iterator[tuple[str, tuple[list[Line], list[Line]]]]:
    """Of each page that a person wrote last: the lines that they wrote, and those that they struck out."""
    for path, row in context.artifacts.items():
        if row.author == "user" and path.endswith(".md") and document.owns(path):
            yield path, changed_lines(*_sides(context, path))


def _renamed(context: RunContext, document: DocumentDef) -> tuple[Line, ...]:
    """The headings of the document's page that a person who wrote it last has changed."""
    row = context.artifacts.get(document.path)
    return changed_headings(*_sides(context, document.path)) if row and row.author == "user" else ()


def _sides(context: RunContext, path: str) -> tuple[str, str]:
    """A page as it was written for a person, and as the person left it."""
    now = context.text(path) or ""
    return _before(context.desk.texts_of(context.session.id, path), now), now


def _before(texts: list[str], now: str) -> str:
    """The page as it was written for the person: the first of the versions that bear the same front as theirs."""
    at = max((i for i, text in enumerate(texts) if text == now), default=len(texts))
    front = now.partition("\n---")[0]
    first = at
    while first and texts[first - 1].partition("\n---")[0] == front:
        first -= 1
    return texts[first] if first < at else texts[at - 1] if at else now


def _without(by_hand: ByHand, edit: tuple[list[Line], list[Line]]) -> ByHand:
    """What was carried so far, without the lines that a person has struck out since, or written again."""
    written, struck = ({key_of(line) for line in lines} for lines in edit)
    return ByHand(
        tuple(line for line in by_hand.written if key_of(line) not in struck),
        tuple(line for line in by_hand.struck if key_of(line) not in written),
        by_hand.headings,
    )


def _pages(
    context: RunContext, document: DocumentDef, made: Registered, shown: RenderContext
) -> Mapping[str, str]:
    files = form(context, document, made, shown)
    return {path: body.decode() for path, (body, _) in files.items() if path.endswith(".md")}


def _about(path: str, line: Line, names: Collection[str]) -> bool:
    """Whether a line is about one of the items."""
    said = f"{path.rpartition('/')[2]} {line.heading} {line.text}"
    return any(name in names for name in IDENTIFIER.findall(said))


def _lost(path: str, line: Line, shown: RenderContext) -> str:
    return labels(shown.language, shown.folders).words["not_carried"].format(path=path, text=told(line))


def _asking(made: Registered, lost: list[str]) -> Registered:
    """The document with a question for each line that is not carried."""
    asked = getattr(made.content, "open_questions", None)
    if not lost or asked is None or isinstance(made.content, Discovery):
        return made
    new = [text for text in lost if text not in asked]
    return replace(made, content=made.content.model_copy(update={"open_questions": [*new, *asked]}))
