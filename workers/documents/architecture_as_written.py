"""An architecture as its page says it: its parts, and each table and list of what was chosen, offered and secured."""

from __future__ import annotations

from workers.documents.brief_as_written import statements
from workers.documents.content import Architecture, Choice, Component, Operation, Source, Statement
from workers.documents.identifiers import IDENTIFIER
from workers.documents.reader import Section
from workers.documents.written_page import (
    Written,
    entries,
    first,
    kept,
    lines_of,
    plain,
    said_first,
    unstated,
    words_of,
)

_NOTHING = "–"  # what a cell says that has nothing to say
_SOURCES: tuple[Source, ...] = ("stated", "repository", "proposed")


def architecture_as_written(content: Architecture, written: Written) -> Architecture:
    """The architecture, its decisions aside, with what a person wrote or deleted on its page."""
    update: dict[str, object] = {"components": [_component(part, written) for part in content.components]}
    overview, style = written.section("overview"), written.section("style")
    if overview is not None:
        update["overview"] = kept(content.overview, overview.text, " ".join(lines_of(overview)))
    if content.style is not None and style is not None and style.text:
        text = said_first(content.style.text, " ".join(lines_of(style)))
        update["style"] = content.style.model_copy(update={"text": text})
    stack, api, security = (written.section(key) for key in ("stack", "api", "security"))
    if stack is not None:
        update["stack"] = [choice for row in stack.rows if (choice := _choice(content, row))]
    if api is not None:
        update["api"] = _operations(content, api)
    if security is not None:
        update["security"] = statements(content.security, entries(security), Statement)
    return content.model_copy(update=update)


def _component(part: Component, written: Written) -> Component:
    block = written.blocks.get(part.name)
    if block is None:
        return part
    line = ([*block.text.split("\n")[1:], ""])[0]
    return part.model_copy(update={"responsibility": first(part.responsibility, line)})


def _choice(content: Architecture, row: tuple[str, ...]) -> Choice | None:
    """A row of the stack: layer, choice, rationale, source; None for one that chooses nothing."""
    layer, choice, rationale, source = [cell.strip() for cell in (*row, "", "", "", "")[:4]]
    if not layer or not choice:
        return None
    given: Source = next((name for name in _SOURCES if source in words_of(name)), "stated")
    shown = Choice(layer=layer, choice=choice, rationale=rationale or _NOTHING, source=given)
    known = {_shown(old.layer, old.choice, old.rationale, old.source): old for old in content.stack}
    return known.get(_shown(layer, choice, rationale, given), shown)


def _operations(content: Architecture, section: Section) -> list[Operation]:
    """The operations of the table, and those that a person listed: `GET /metrics: what a scraper reads`."""
    known = {_shown(old.name, old.purpose): old for old in content.api}
    found = []
    for name, purpose, refs in [(*row, "", "", "")[:3] for row in section.rows]:
        if name.strip():
            new = Operation(
                name=name.strip(), purpose=purpose.strip() or _NOTHING, requirements=IDENTIFIER.findall(refs)
            )
            found.append(known.get(_shown(name, purpose), new))
    for item in section.items:
        if item not in unstated():
            name, _, purpose = item.replace("：", ": ", 1).partition(": ")
            found.append(Operation(name=name.strip(), purpose=purpose.strip() or _NOTHING))
    return found


def _shown(*cells: str) -> tuple[str, ...]:
    return tuple(plain(cell) for cell in cells)
