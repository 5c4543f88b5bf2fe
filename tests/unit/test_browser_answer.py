"""What a browser saw is believed only in its own form, and a page that cannot be opened is a finding where that is new."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest

from orchestrator.domain.json_types import Json
from workers.evidence.browser_answer import read_answer
from workers.evidence.browser_check import BaseSeen, Seen, new_findings
from workers.evidence.changed_files import Changes
from workers.evidence.frontend_checks import frontend_checks
from workers.evidence.frontend_rules import Frontend
from workers.evidence.page_server import NONE_THERE

PAGE: dict[str, Any] = {"page": "a.html", "title": "A", "why_not": None}
SCREEN = {"width": 375, "scheme": "light", "file": "0-375-light.png"}
FRONTEND = Frontend(Changes([]), frontend_checks(), frozenset(), set(), calm=False)
HANGS = "it hangs: it was not done after 40 seconds"


def visit(**page: Any) -> bytes:
    return json.dumps({"browser": "150", "pages": [{**PAGE, **page}]}).encode()


def test_an_answer_is_read_with_everything_that_the_visit_may_leave_out() -> None:
    version, pages = read_answer(visit(screens=[SCREEN]), ["a.html"])

    assert version == "150" and pages["a.html"]["screens"] == [SCREEN]
    assert pages["a.html"]["violations"] == [] and pages["a.html"]["errors"] == []


@pytest.mark.parametrize(
    ("body", "why"),
    [
        (b"", "Invalid JSON"),
        (b"no JSON", "Invalid JSON"),
        (b'"\xff"', "Invalid JSON"),
        (b"[" * 100_000, "Invalid JSON"),
        (b"[]", "should be an object"),
        (b"{}", "browser: Field required"),
        (visit(why_not=3), "pages.0.why_not"),
        (visit(screens=[{**SCREEN, "file": "../../secret-375-light.png"}]), "pages.0.screens.0.file"),
        (visit(violations=[{"id": "x", "help": "x", "nodes": [{}]}]), "pages.0.violations.0.nodes.0"),
        (visit(page="other.html"), "other pages"),
    ],
)
def test_an_answer_that_is_none_is_refused_with_the_reason(body: bytes, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        read_answer(body, ["a.html"])


def seen(**why_not: str | None) -> Seen:
    pages: dict[str, Mapping[str, Json]] = {
        f"{name}.html": {**PAGE, "page": f"{name}.html", "why_not": why} for name, why in why_not.items()
    }
    return Seen("", "150", pages)


def found(after: Seen, before: Seen) -> list[tuple[str, str, str]]:
    absent = tuple(path for path in after.pages if before.lacks(path))
    known = BaseSeen.from_json(BaseSeen("tree", before.opened, absent=absent).as_json())
    return [(each.path, each.severity, each.rule) for each in new_findings(after, FRONTEND, known)[0]]


def test_a_page_that_hangs_is_a_finding_where_it_is_new_or_the_base_opened_it() -> None:
    after = seen(old=HANGS, fresh=HANGS, ill=HANGS)

    assert found(after, seen(old=None, ill=HANGS)) == [
        ("old.html", "high", "unopened"),
        ("fresh.html", "high", "never_opened"),
    ]


@pytest.mark.parametrize(
    ("before", "is_new"),
    [
        (Seen(NONE_THERE), True),
        (seen(fresh="the server answers 404"), True),
        (seen(fresh="the server answers 500"), False),
        (Seen("the browser ended without an answer"), False),
    ],
)
def test_a_page_is_new_only_where_the_base_is_known_to_lack_it(before: Seen, is_new: bool) -> None:
    assert bool(found(seen(fresh=HANGS), before)) is is_new


def test_the_base_is_visited_again_for_a_page_of_which_nothing_is_known() -> None:
    known = BaseSeen("tree", ("old.html",), absent=("fresh.html",))

    assert known.tells_of(seen(old=HANGS, fresh=HANGS))
    assert known.tells_of(seen(old=None, later=None))
    assert not known.tells_of(seen(old=None, later=HANGS))
    assert not known.tells_of(seen(fresh=None))
