"""Graphs as SVG: whatever the names are, the markup is ours."""

from __future__ import annotations

import xml.etree.ElementTree as ET

from hypothesis import given, settings
from hypothesis import strategies as st

from orchestrator.domain.drawing import Node, place
from orchestrator.web.flowchart import parse_flowchart
from orchestrator.web.graph_svg import Face, cells_of, fitted, svg

HOSTILE = st.text(st.sampled_from("<>&\"'/=ax \u202e\x00]["), max_size=12)


@settings(max_examples=60)
@given(HOSTILE, HOSTILE, HOSTILE)
def test_names_are_text(name: str, lane: str, title: str) -> None:
    drawing = place([Node(name, lane=lane), Node("end", (name,), lane)])

    found = ET.fromstring(svg(drawing, {name: Face(fitted(name, 8, 2), title=title, href="/x?a=1&b=2")}))

    assert {each.tag for each in found.iter()} <= {"svg", "g", "a", "rect", "path", "text", "tspan", "title"}
    assert not {key for each in found.iter() for key in each.attrib if key == "style" or key.startswith("on")}
    assert {each.get("href") for each in found.iter("a")} <= {"/x?a=1&b=2"}


@given(st.text(max_size=60), st.integers(4, 20), st.integers(1, 4))
def test_a_label_fits_and_is_cut_visibly(text: str, cells: int, lines: int) -> None:
    found = fitted(text, cells, lines)

    assert 1 <= len(found) <= lines
    assert all(cells_of(line) <= cells for line in found)


def test_a_long_label_is_broken_between_words_and_ends_with_an_ellipsis() -> None:
    assert fitted("URL shortener with an admin dashboard", 16, 2) == ("URL shortener", "with an admin d…")
    assert fitted("IMPROVE-traceability-001", 16, 2) == ("IMPROVE-", "traceability-001")


def test_only_our_own_form_of_a_chart_is_read() -> None:
    ours = parse_flowchart('flowchart TD\n    a["One #8211; two"]\n    a --> b\n')

    assert ours is not None
    assert (ours.downwards, ours.labels, ours.arrows) == (True, {"a": "One – two", "b": "b"}, (("a", "b"),))
    for other in ("graph RL\na-->b", "flowchart LR\na -->|yes| b", "flowchart LR\nclick a x", "pie", ""):
        assert parse_flowchart(other) is None
