"""Reads the small part of Mermaid that our own documents use: `flowchart LR` or `TD`, named boxes and plain arrows."""

from __future__ import annotations

import re

from markupsafe import Markup

from orchestrator.domain.dataclass import dataclass
from orchestrator.domain.drawing import Metrics, Node, place, place_downwards
from orchestrator.domain.patterns import expression
from orchestrator.web.graph_svg import CELL_WIDTH, LINE_HEIGHT, Face, cells_of, fitted, svg

MOST_LINES = 600  # of source; a larger chart is shown as its source
LABEL_CELLS = 24
LABEL_LINES = 3
_HEADING = expression(r"\s*(?:flowchart|graph)\s+(LR|TD|TB)\s*;?\s*", re.ASCII)
_BOX = expression(
    r'\s*([A-Za-z]\w{0,60})(?:\["([^"]*)"\]|\(\["([^"]*)"\]\)|\[\["([^"]*)"\]\]|\("([^"]*)"\))\s*', re.ASCII
)
_ARROW = expression(r"\s*([A-Za-z]\w{0,60})\s*-->\s*([A-Za-z]\w{0,60})\s*", re.ASCII)
_REFERENCE = expression(r"#(\d{1,7});", re.ASCII)


@dataclass(frozen=True, slots=True)
class Flowchart:
    downwards: bool
    labels: dict[str, str]
    arrows: tuple[tuple[str, str], ...]


def parse_flowchart(source: str) -> Flowchart | None:
    """The chart, or None of whatever is not exactly of this kind."""
    lines = [line for line in source.splitlines() if line.strip()]
    heading = _HEADING.fullmatch(lines[0]) if lines and len(lines) <= MOST_LINES else None
    if heading is None:
        return None
    labels: dict[str, str] = {}
    arrows = []
    for line in lines[1:]:
        if found := _BOX.fullmatch(line):
            labels[found[1]] = _label(next(each for each in found.groups()[1:] if each is not None))
        elif found := _ARROW.fullmatch(line):
            arrows.append((found[1], found[2]))
        else:
            return None
    for name in (name for arrow in arrows for name in arrow):
        labels.setdefault(name, name)
    return Flowchart(heading[1] != "LR", labels, tuple(arrows))


def chart_svg(chart: Flowchart) -> Markup:
    faces = {
        name: Face(fitted(label, LABEL_CELLS, LABEL_LINES), title=label)
        for name, label in chart.labels.items()
    }
    after: dict[str, list[str]] = {name: [] for name in chart.labels}
    for start, end in chart.arrows:
        after[end].append(start)
    nodes = [Node(name, tuple(blockers)) for name, blockers in after.items()]
    shown = [face.lines for face in faces.values()]
    widest = max((cells_of(line) for lines in shown for line in lines), default=1)
    tallest = max(map(len, shown), default=1)
    metrics = Metrics(width=max(48, round(widest * CELL_WIDTH) + 16), height=tallest * LINE_HEIGHT + 16)
    return svg((place_downwards if chart.downwards else place)(nodes, metrics=metrics), faces)


def _label(quoted: str) -> str:
    """The label with its character references (`#8211;`) read."""
    return _REFERENCE.sub(_character, quoted)


def _character(found: re.Match[str]) -> str:
    number = int(found[1])
    return chr(number) if 31 < number < 0x110000 and not 0xD800 <= number < 0xE000 else found[0]
