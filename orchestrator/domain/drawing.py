"""Places the boxes and lines of a graph: a column a rank, a lane a phase, revisions below what they revise.

All boxes lie on one grid: columns across the whole drawing, rows within each lane. The gaps between columns and between
rows are therefore free of boxes everywhere, and a line that keeps to them crosses none.

A column is the length of the longest way to a box. A revision stands in the column of what it revises wherever the graph
allows it, in rows of its own below. Lines go to the right; only in a graph with circles do some lead back.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection, Sequence

from orchestrator.domain.dataclass import dataclass, replace
from orchestrator.domain.drawing_layers import Edge, levels_of, ranks, rows_of_band
from orchestrator.domain.named_tuple import NamedTuple

Point = tuple[int, int]  # pixels, from the left and from the top


@dataclass(frozen=True, slots=True)
class Node:
    key: str
    after: tuple[str, ...] = ()  # what it waits for; unknown keys are ignored
    lane: str = ""
    revises: str | None = None  # the original, also of a second revision


@dataclass(frozen=True, slots=True)
class Metrics:
    """Sizes in pixels."""

    width: int = 116  # of a box
    height: int = 34
    column_gap: int = 28
    row_gap: int = 16
    lane_label: int = 22  # above the boxes of a lane with a name
    margin: int = 8


class Box(NamedTuple):
    key: str
    x: int
    y: int
    thick: bool = False


class Line(NamedTuple):
    start: str
    end: str
    points: tuple[Point, ...]
    thick: bool = False
    back: bool = False  # closes a circle


@dataclass(frozen=True, slots=True)
class Lane:
    name: str
    y: int
    height: int


@dataclass(frozen=True, slots=True)
class Drawing:
    width: int
    height: int
    box_width: int
    box_height: int
    boxes: tuple[Box, ...]
    lines: tuple[Line, ...]
    lanes: tuple[Lane, ...]


def place(
    nodes: Sequence[Node], critical: Collection[tuple[str, str]] = (), metrics: Metrics | None = None
) -> Drawing:
    """Where each box and line is; boxes in the order of the nodes, lanes as they first occur.

    `critical`: the edges, blocker first, that are drawn thick with their boxes. Of nodes with one key the first counts.
    """
    size = metrics or Metrics()
    index: dict[str, int] = {}
    chosen: list[Node] = []
    for node in nodes:
        if node.key not in index:
            index[node.key] = len(chosen)
            chosen.append(node)
    edges = [
        (index[blocker], number)
        for number, node in enumerate(chosen)
        for blocker in dict.fromkeys(node.after)
        if blocker in index
    ]
    levels = levels_of([node.revises for node in chosen])
    columns, back = ranks(len(chosen), edges, _revisions(chosen, levels, edges))
    tops, lanes, height = _tops(chosen, levels, columns, edges, size)
    grid = _Grid(size, columns, tops)
    thick = {key for pair in critical for key in pair}
    boxes = [
        Box(node.key, grid.lefts[number], tops[number], node.key in thick)
        for number, node in enumerate(chosen)
    ]
    lines = [
        Line(
            start := chosen[one].key,
            end := chosen[two].key,
            grid.route(one, two),
            bool(thick) and (start, end) in critical,
            (one, two) in back,
        )
        for one, two in edges
    ]
    width = 2 * size.margin + (max(columns, default=-1) + 1) * (size.width + size.column_gap)
    return Drawing(width, height, size.width, size.height, tuple(boxes), tuple(lines), tuple(lanes))


def place_downwards(nodes: Sequence[Node], metrics: Metrics | None = None) -> Drawing:
    """The same with ranks from top to bottom, without lanes."""
    size = metrics or Metrics()
    turned = replace(
        size, width=size.height, height=size.width, column_gap=size.row_gap * 2, row_gap=size.row_gap
    )
    drawn = place([replace(node, lane="") for node in nodes], metrics=turned)
    return Drawing(
        width=drawn.height,
        height=drawn.width,
        box_width=size.width,
        box_height=size.height,
        boxes=tuple(box._replace(x=box.y, y=box.x) for box in drawn.boxes),
        lines=tuple(line._replace(points=tuple((y, x) for x, y in line.points)) for line in drawn.lines),
        lanes=(),
    )


def _revisions(nodes: Sequence[Node], levels: Sequence[int], edges: Sequence[Edge]) -> set[Edge]:
    """The edges from what is revised to its revision in the same lane."""
    if not any(levels):
        return set()
    return {
        (one, two)
        for one, two in edges
        if levels[one] < levels[two]
        and nodes[two].revises in (nodes[one].key, nodes[one].revises)
        and nodes[one].lane == nodes[two].lane
    }


def _tops(
    nodes: Sequence[Node], levels: Sequence[int], columns: Sequence[int], edges: Sequence[Edge], size: Metrics
) -> tuple[list[int], list[Lane], int]:
    """The top of each box, the lanes, and the height of all."""
    band_of = [(node.lane, level) for node, level in zip(nodes, levels, strict=True)]
    lanes: dict[str, dict[int, dict[int, list[int]]]] = {}
    for number, (name, level) in enumerate(band_of):
        lanes.setdefault(name, {}).setdefault(level, {}).setdefault(columns[number], []).append(number)
    before: list[list[int]] = [[] for _ in nodes]
    behind: list[list[int]] = [[] for _ in nodes]
    for start, end in edges:
        if band_of[start] == band_of[end]:
            before[end].append(start)
            behind[start].append(end)
    tops = [0] * len(nodes)
    placed = []
    y = size.margin
    step = size.height + size.row_gap
    for name, levels_of_lane in lanes.items():
        lane_top = y
        y += size.lane_label if name else 0
        for _, band in sorted(levels_of_lane.items()):
            rows, height = rows_of_band(band, before, behind)
            for number, row in rows.items():
                tops[number] = y + size.row_gap // 2 + row * step
            y += height * step
        placed.append(Lane(name, lane_top, y - lane_top))
    return tops, placed, y + size.margin


class _Grid:
    """Where boxes are, for lines that must pass none of them."""

    def __init__(self, size: Metrics, columns: Sequence[int], tops: Sequence[int]) -> None:
        self.size, self.columns, self.tops = size, columns, tops
        rows: dict[int, list[int]] = {}
        stacks: dict[int, list[int]] = {}
        for column, top in zip(columns, tops, strict=True):
            rows.setdefault(top, []).append(column)
            stacks.setdefault(column, []).append(top)
        self.in_row = {top: sorted(found) for top, found in rows.items()}
        self.in_column = {column: sorted(found) for column, found in stacks.items()}
        first, step = size.margin + size.column_gap // 2, size.width + size.column_gap
        self.lefts = [first + column * step for column in columns]

    def route(self, start: int, end: int) -> tuple[Point, ...]:
        """The corners of a line from one box to another."""
        size = self.size
        one, two = self.columns[start], self.columns[end]
        top, end_top = self.tops[start], self.tops[end]
        x, y = self.lefts[start] + size.width, top + size.height // 2
        end_x, end_y = self.lefts[end], end_top + size.height // 2
        if one == two and top < end_top:
            return self._downwards(start, end)
        if top == end_top and one < two and _nothing_between(self.in_row[top], one, two):
            return (x, y), (end_x, end_y)
        leave = x + size.column_gap // 2
        if two == one + 1:
            return (x, y), (leave, y), (leave, end_y), (end_x, end_y)
        enter = end_x - size.column_gap // 2
        gap = end_top - size.row_gap // 2
        return (x, y), (leave, y), (leave, gap), (enter, gap), (enter, end_y), (end_x, end_y)

    def _downwards(self, start: int, end: int) -> tuple[Point, ...]:
        """To a revision in the same column: straight where nothing is between."""
        size = self.size
        top, end_top = self.tops[start], self.tops[end]
        middle = self.lefts[start] + size.width // 2
        if _nothing_between(self.in_column[self.columns[start]], top, end_top):
            return (middle, top + size.height), (middle, end_top)
        right, y = self.lefts[start] + size.width, top + size.height // 2
        leave, gap = right + size.column_gap // 2, end_top - size.row_gap // 2
        return (right, y), (leave, y), (leave, gap), (middle, gap), (middle, end_top)


def _nothing_between(places: Sequence[int], one: int, two: int) -> bool:
    return places[bisect_right(places, one)] == two
