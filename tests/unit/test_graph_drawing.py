"""Drawings of graphs: boxes apart, lines forward and past every box, whatever the graph."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from orchestrator.domain.drawing import Drawing, Line, Node, place, place_downwards


@st.composite
def graphs(draw: st.DrawFn) -> list[Node]:
    """Tasks that wait for earlier ones, in up to three phases, some of them revisions."""
    nodes: list[Node] = []
    for number in range(draw(st.integers(0, 24))):
        after = draw(st.sets(st.integers(0, max(0, number - 1)), max_size=3)) if number else set()
        lane = draw(st.sampled_from(["spec", "plan", "impl"]))
        originals = [node for node in nodes if node.revises is None]
        revised = draw(st.sampled_from(originals)) if originals and draw(st.booleans()) else None
        blockers = {nodes[each].key for each in after} | ({revised.key} if revised else set())
        nodes.append(
            Node(
                f"T-{number}",
                tuple(sorted(blockers)),
                revised.lane if revised else lane,
                revised.key if revised else None,
            )
        )
    return nodes


@st.composite
def any_edges(draw: st.DrawFn) -> list[Node]:
    """Graphs with circles, edges to themselves and to what does not exist."""
    count = draw(st.integers(0, 12))
    ends = st.lists(st.integers(0, count), max_size=4)
    return [Node(f"N{number}", tuple(f"N{end}" for end in draw(ends))) for number in range(count)]


def passed(drawing: Drawing, line: Line) -> Iterator[str]:
    """The boxes whose inside a line crosses."""
    for (x1, y1), (x2, y2) in zip(line.points, line.points[1:], strict=False):
        assert x1 == x2 or y1 == y2, "lines are level or upright"
        for box in drawing.boxes:
            apart = (
                max(x1, x2) <= box.x
                or min(x1, x2) >= box.x + drawing.box_width
                or max(y1, y2) <= box.y
                or min(y1, y2) >= box.y + drawing.box_height
            )
            if not apart:
                yield box.key


def assert_readable(drawing: Drawing) -> None:
    for number, one in enumerate(drawing.boxes):
        assert 0 <= one.x <= drawing.width - drawing.box_width
        assert 0 <= one.y <= drawing.height - drawing.box_height
        for other in drawing.boxes[number + 1 :]:
            assert abs(one.x - other.x) >= drawing.box_width or abs(one.y - other.y) >= drawing.box_height, (
                f"{one.key} covers {other.key}"
            )
    for line in drawing.lines:
        assert not list(passed(drawing, line)), f"{line.start} to {line.end} crosses a box"
        assert all(0 <= x <= drawing.width and 0 <= y <= drawing.height for x, y in line.points)


@settings(max_examples=60)
@given(graphs())
def test_boxes_are_apart_lines_lead_on_and_revisions_are_below(nodes: list[Node]) -> None:
    drawing = place(nodes)

    assert_readable(drawing)
    at = {box.key: box for box in drawing.boxes}
    assert set(at) == {node.key for node in nodes}
    assert {(line.start, line.end) for line in drawing.lines} == {
        (blocker, node.key) for node in nodes for blocker in node.after
    }
    for line in drawing.lines:
        start, end = at[line.start], at[line.end]
        assert not line.back
        assert end.x > start.x or (end.x == start.x and end.y > start.y)
    for node in nodes:
        if node.revises is not None:
            assert at[node.key].y > at[node.revises].y


@settings(max_examples=40)
@given(graphs())
def test_each_box_is_in_the_lane_of_its_phase(nodes: list[Node]) -> None:
    drawing = place(nodes)

    lanes = {lane.name: lane for lane in drawing.lanes}
    assert list(lanes) == list(dict.fromkeys(node.lane for node in nodes))
    for above, below in zip(drawing.lanes, drawing.lanes[1:], strict=False):
        assert above.y + above.height <= below.y
    for node, box in zip(nodes, drawing.boxes, strict=True):
        lane = lanes[node.lane]
        assert lane.y < box.y and box.y + drawing.box_height < lane.y + lane.height


@settings(max_examples=60)
@given(any_edges())
def test_a_graph_with_circles_is_drawn_with_the_lines_that_close_them_marked(nodes: list[Node]) -> None:
    drawing = place(nodes)

    assert_readable(drawing)
    assert_readable(place_downwards(nodes))
    at = {box.key: box for box in drawing.boxes}
    known = {(blocker, node.key) for node in nodes for blocker in node.after if blocker in at}
    assert {(line.start, line.end) for line in drawing.lines} == known
    assert all(at[line.start].x < at[line.end].x for line in drawing.lines if not line.back)


def pipeline() -> list[Node]:
    """Ten tasks, two of them revised once, one twice."""
    keys = [f"DRAFT-00{number}" for number in range(1, 5)]
    chain = [Node(key, (before,), "spec") for before, key in zip(["RESEARCH-001", *keys], keys, strict=False)]
    return [
        Node("RESEARCH-001", (), "spec"),
        *chain,
        Node("PLAN-001", ("DRAFT-004",), "plan"),
        Node("IMPL-001", ("PLAN-001",), "impl"),
        Node("DRAFT-003-R1", ("DRAFT-003",), "spec", "DRAFT-003"),
        Node("DRAFT-004-R1", ("DRAFT-003-R1",), "spec", "DRAFT-004"),
        Node("DRAFT-004-R2", ("DRAFT-004-R1",), "spec", "DRAFT-004"),
    ]


def test_a_revision_stands_in_the_column_of_what_it_revises() -> None:
    drawing = place(pipeline())

    at = {box.key: box for box in drawing.boxes}
    assert at["DRAFT-003-R1"].x == at["DRAFT-003"].x
    assert at["DRAFT-004"].x == at["DRAFT-004-R1"].x == at["DRAFT-004-R2"].x
    assert at["DRAFT-004"].y < at["DRAFT-004-R1"].y < at["DRAFT-004-R2"].y
    assert len({at[f"DRAFT-00{number}"].y for number in range(1, 5)}) == 1
    assert drawing.width <= 1066


def test_the_critical_path_is_thick_and_nothing_else() -> None:
    drawing = place(pipeline(), critical={("DRAFT-001", "DRAFT-002"), ("DRAFT-002", "DRAFT-003")})

    assert [box.key for box in drawing.boxes if box.thick] == ["DRAFT-001", "DRAFT-002", "DRAFT-003"]
    assert [line.end for line in drawing.lines if line.thick] == ["DRAFT-002", "DRAFT-003"]


@pytest.mark.parametrize("crossed", [["X", "Y"], ["Y", "X"]])
def test_boxes_are_ordered_so_that_lines_do_not_cross(crossed: list[str]) -> None:
    chains = [Node("A"), Node("B"), *(Node(key, ("A" if key == "Y" else "B",)) for key in crossed)]

    at = {box.key: box.y for box in place(chains).boxes}

    assert at["A"] == at["Y"] < at["B"] == at["X"]


def test_five_thousand_tasks_are_placed() -> None:
    nodes = [
        Node(f"T-{number}", (f"T-{number // 2}", f"T-{number - 1}") if number else (), f"lane {number % 3}")
        for number in range(5_000)
    ]

    drawing = place(nodes)

    assert len({(box.x, box.y) for box in drawing.boxes}) == 5_000
    assert len(drawing.lines) == 9_996  # the first two wait for one task twice
