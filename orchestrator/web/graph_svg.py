"""A drawing as SVG: names escaped, looks by classes only, nothing that a page's content policy would refuse.

It is hidden from screen readers, whose users get a list beside it; therefore its links take no focus.
"""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from unicodedata import east_asian_width

from markupsafe import Markup

from orchestrator.domain.dataclass import dataclass
from orchestrator.domain.drawing import Box, Drawing, Line, Point
from orchestrator.domain.inert import one_line

LINE_HEIGHT = 14  # pixels, of text of 12 pixels
CELL_WIDTH = 7.2  # pixels that one narrow character of that size takes at most
PAGE_WIDTH = 1_184  # pixels that the widest page has for a drawing
SHRUNK_WIDTH = (
    1_680  # pixels of the widest drawing that is shrunk to fit: to two thirds, where its text is read
)
HEAD = 5  # pixels: half the width and the length of an arrow's head


@dataclass(frozen=True, slots=True)
class Face:
    """What is shown on and of one box."""

    lines: tuple[str, ...]
    title: str = ""  # the whole text, when the pointer rests on it
    kinds: tuple[str, ...] = ()  # classes: ours, never from data
    href: str | None = None  # an address of this site


def svg(drawing: Drawing, faces: Mapping[str, Face]) -> Markup:
    """The drawing with a face for each box; a box without one shows its key."""
    fits = " shrunk" if PAGE_WIDTH < drawing.width <= SHRUNK_WIDTH else ""
    parts = [
        f'<svg class="graph{fits}" viewBox="0 0 {drawing.width} {drawing.height}" width="{drawing.width}" '
        f'height="{drawing.height}" aria-hidden="true" focusable="false">'
    ]
    for number, lane in enumerate(drawing.lanes):
        if not lane.name:
            continue
        parts.append(
            f'<rect class="lane-ground{" odd" if number % 2 else ""}" x="0" y="{lane.y}" '
            f'width="{drawing.width}" height="{lane.height}"/>'
            f'<text class="lane-name" x="8" y="{lane.y + 15}">{_text(lane.name)}</text>'
        )
    parts += [_line(line) for line in drawing.lines]
    parts += [_box(drawing, box, faces.get(box.key, Face((box.key,)))) for box in drawing.boxes]
    parts.append("</svg>")
    return Markup("".join(parts))  # noqa: S704 - every text in it went through _text


def fitted(text: str, cells: int, lines: int) -> tuple[str, ...]:
    """`text` on at most so many lines of so many cells, cut with an ellipsis; wide characters count as two."""
    found: list[str] = []
    rest = one_line(text)
    while rest and len(found) < lines:
        fits = _fitting(rest, cells)
        if len(fits) < len(rest) and len(found) == lines - 1:
            found.append(_fitting(rest, cells - 1).rstrip() + "…")
            break
        if len(fits) < len(rest) and rest[len(fits)] != " ":
            gap = fits.rfind(" ") if " " in fits else fits.rfind("-") + 1
            fits = fits[:gap] if gap > 0 else fits
        found.append(fits.strip())
        rest = rest[len(fits) :].lstrip()
    return tuple(found) or ("–",)


def cells_of(text: str) -> int:
    return sum(2 if east_asian_width(char) in "WF" else 1 for char in text)


def _fitting(text: str, cells: int) -> str:
    """The beginning of `text` that is at most so wide, at least one character."""
    used = 0
    for number, char in enumerate(text):
        used += 2 if east_asian_width(char) in "WF" else 1
        if used > cells:
            return text[: max(1, number)]
    return text


def _text(text: str) -> str:
    return escape(one_line(text))


def _line(line: Line) -> str:
    kinds = "".join([" thick" if line.thick else "", " back" if line.back else ""])
    way = "L".join(f"{x} {y}" for x, y in line.points)
    before, (x, y) = line.points[-2:]
    return f'<path class="line{kinds}" d="M{way}"/><path class="head{kinds}" d="{_head(before, (x, y))}"/>'


def _head(before: Point, end: Point) -> str:
    """A triangle whose tip is where the line ends; lines end to the right, or downwards."""
    x, y = end
    if before[0] == x:
        return f"M{x} {y}L{x - HEAD} {y - HEAD * 2}L{x + HEAD} {y - HEAD * 2}Z"
    return f"M{x} {y}L{x - HEAD * 2} {y - HEAD}L{x - HEAD * 2} {y + HEAD}Z"


def _box(drawing: Drawing, box: Box, face: Face) -> str:
    kinds = "".join(f" {kind}" for kind in (*face.kinds, *(["thick"] if box.thick else [])))
    middle = box.x + drawing.box_width // 2
    first = box.y + (drawing.box_height - LINE_HEIGHT * len(face.lines)) // 2 + LINE_HEIGHT - 3
    lines = "".join(
        f'<tspan x="{middle}" y="{first + number * LINE_HEIGHT}">{_text(text)}</tspan>'
        for number, text in enumerate(face.lines)
    )
    title = f"<title>{_text(face.title)}</title>" if face.title else ""
    drawn = (
        f'<g class="box{kinds}">{title}<rect x="{box.x}" y="{box.y}" width="{drawing.box_width}" '
        f'height="{drawing.box_height}" rx="5"/><text>{lines}</text></g>'
    )
    return drawn if face.href is None else f'<a href="{escape(face.href)}" tabindex="-1">{drawn}</a>'
