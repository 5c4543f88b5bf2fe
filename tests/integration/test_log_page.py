"""The log in the web: its filters, pages of what fits them, and the level of each entry."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from orchestrator.domain.log_levels import Wanted
from orchestrator.store import messages
from orchestrator.store.store import Tx
from orchestrator.views import log_filter, lookup
from tests.web_world import WebWorld, web_world

NOTED = 450


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WebWorld]:
    """A log of some hundred entries: every third is an error, every fifth tells of DRAFT-001."""
    with web_world(tmp_path_factory.mktemp("log")) as made:

        def unit(tx: Tx) -> None:
            for number in range(NOTED):
                task = "DRAFT-001" if number % 5 == 0 else "DRAFT-001-R1"
                kind = "error" if number % 3 == 0 else "state_update"
                messages.say(tx, made.session, "writer", kind, f"said <{number}>", data={"task": task})
            messages.say(tx, made.session, "tester", "state_update", "DRAFT-001: named in words")
            messages.event(tx, made.session, "paused", "paused for you")

        made.store.write(unit)
        yield made


def said(text: str) -> list[int]:
    return [int(number) for number in re.findall(r"said &lt;(\d+)&gt;", text)]


def page(world: WebWorld, query: str) -> str:
    answer = world.get(f"/p/demo/s/{world.session}/log?{query}")
    assert answer.status_code == 200, answer.text
    return str(answer.text)


def through(world: WebWorld, query: str, relation: str) -> list[int]:
    """The numbers on all pages, from one link to the next."""
    pages: list[list[int]] = []
    address: str | None = f"/p/demo/s/{world.session}/log?{query}"
    while address is not None:
        text = world.get(address).text
        pages.append(said(text))
        found = re.search(rf'<a href="([^"]+)" rel="{relation}">', text)
        address = found[1].replace("&amp;", "&") if found else None
    return [number for each in (pages[::-1] if relation == "prev" else pages) for number in each]


@pytest.mark.parametrize(
    "query", ["", "level=error", "task=draft-001", "kind=message&level=error&task=DRAFT-001"]
)
def test_pages_of_a_filter_hold_each_fitting_entry_once_in_both_directions(
    world: WebWorld, query: str
) -> None:
    step = {"": 1, "level=error": 3, "task=draft-001": 5}.get(query, 15)
    expected = list(range(0, NOTED, step))

    assert through(world, query, "prev") == expected
    assert through(world, f"{query}&after=0", "next") == expected


def test_a_task_is_found_in_data_and_in_words_and_no_revision_of_it(world: WebWorld) -> None:
    text = page(world, "task=DRAFT-001")

    assert "DRAFT-001: named in words" in text
    assert not [number for number in said(text) if number % 5]


def test_levels_and_words(world: WebWorld) -> None:
    warned, errors, words = (
        page(world, each) for each in ("level=warning", "level=error", "q=SAID+%3C44%3E")
    )

    assert "paused for you" in warned
    assert "paused for you" not in errors
    assert '<span class="tag bad">error</span>' in errors
    assert said(words) == [44]
    assert 'value="SAID &lt;44&gt;"' in words
    assert (
        f'data-log="/p/demo/s/{world.session}/log?q=SAID+%3C44%3E"' in words
    )  # what follows is filtered too
    assert "is like that" in page(world, "q=nobody+said+this")
    assert page(world, "q=said+%3C44%3E&part=1&after=0").count("<li") == 1


@pytest.mark.parametrize("query", ["", "task=draft-001&"])
def test_who_follows_the_lines_is_told_whether_there_are_more_of_them(world: WebWorld, query: str) -> None:
    numbers: list[int] = []
    asked, more, last = 0, True, 0
    while more:
        answer = world.get(f"/p/demo/s/{world.session}/log?{query}part=1&after={last}")
        numbers += said(answer.text)
        last = int(re.findall(r'<li id="m(\d+)"', answer.text)[-1])
        asked, more = asked + 1, "x-more" in answer.headers

    assert numbers == list(range(0, NOTED, 5 if query else 1))
    assert asked == (1 if query else 3)


@pytest.mark.parametrize("query", ["kind=other", "level=loud", "before=0", "q=" + "x" * 201])
def test_a_filter_that_does_not_exist_is_refused(world: WebWorld, query: str) -> None:
    assert world.get(f"/p/demo/s/{world.session}/log?{query}").status_code == 422


def test_the_api_filters_and_goes_on_behind_what_it_has_read(world: WebWorld) -> None:
    found: list[str] = []
    after: int | None = 0
    while after is not None:
        address = f"/api/v1/p/demo/sessions/{world.session}/messages"
        answer = world.get(f"{address}?level=error&task=DRAFT-001&limit=7&after={after}").json()
        assert {each["level"] for each in answer["messages"]} <= {"error"}
        found += [each["summary"] for each in answer["messages"]]
        after = answer["next_after"]

    assert [int(text.partition("<")[2][:-1]) for text in found] == list(range(0, NOTED, 15))


def test_a_request_reads_a_bounded_part_of_a_log(world: WebWorld, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(log_filter, "BATCH", 50)
    monkeypatch.setattr(log_filter, "MOST_READ", 100)
    nothing = Wanted(text="nobody said this")

    def unit(tx: Tx) -> tuple[log_filter.Filtered, log_filter.Filtered]:
        row = lookup.session(tx, world.session)
        return (
            log_filter.following(tx, row, nothing, 10, 5),
            log_filter.preceding(tx, row, nothing, 300, 5),
        )

    ahead, behind = world.store.read(unit)

    assert (ahead.rows, ahead.last) == ([], 110)
    assert (behind.rows, behind.first) == ([], 200)
