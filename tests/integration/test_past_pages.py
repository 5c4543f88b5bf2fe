"""Pages of what was and of what it runs on: the slider, attempts in time, the cost of all sessions, the system."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from orchestrator.domain.time_axis import Span
from orchestrator.store import artifacts, messages, queries, records
from orchestrator.views.attempts import Attempts, ShownAttempt
from orchestrator.web.language import language
from orchestrator.web.pages.system import without_secrets
from orchestrator.web.timeline_svg import timeline
from tests import factories
from tests.e2e.cli_world import work_off
from tests.web_world import WebWorld, web_world

SECRET = "hunter2-of-the-tests"


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WebWorld]:
    """A session that was worked off, and one that has just begun."""
    with web_world(tmp_path_factory.mktemp("past")) as made:
        made.leave_lead()
        work_off(made.store, made.session)
        yield made


def of_session(world: WebWorld, address: str = "") -> str:
    answer = world.get(f"/p/demo/s/{world.session}{address}")
    assert answer.status_code == 200, answer.text
    return str(answer.text)


def test_the_past_is_shown_at_every_message_without_any_command(world: WebWorld) -> None:
    log = world.store.read(lambda tx: messages.after(tx, world.session, 0))

    for number in range(1, len(log) + 1):
        text = of_session(world, f"?at={number}")
        then = world.get(f"/api/v1/p/demo/sessions/{world.session}?at={number}").json()

        assert "/commands/" not in text
        assert re.findall('method="post" action="([^"]*)"', text) == ["/language"]
        assert f'max="{len(log)}" value="{then["message"]}" data-slider' in text
        shown = re.findall(
            r'data-row><a href="[^"]*/t/([^"?]+)\?at=\d+">[^<]*</a> <span class="tag [a-z]*">(\w+)<', text
        )
        assert dict(shown) == {each["task"]: each["mark"] for each in then["tasks"]}


def test_the_slider_has_marks_for_verdicts_and_ends(world: WebWorld) -> None:
    text = of_session(world, "?at=3")

    marks = re.findall(r'<a href="\?at=(\d+)"[^>]*>MSG-\d+</a> [^<]*<code>(\w+)</code>', text)
    assert [kind for _, kind in marks if kind != "verdict"] == ["completed"]
    verdicts = world.store.read(lambda tx: records.verdicts_of(tx, world.session))
    assert len([kind for _, kind in marks if kind == "verdict"]) == len(verdicts) > 4
    assert "QUALITY-001 gate: REVIEW 72.5" in text
    assert [int(number) for number, _ in marks] == sorted(int(number) for number, _ in marks)


@pytest.mark.parametrize(
    ("at", "status"), [("9999", 404), ("0", 404), ("yesterday", 422), ("2199-01-01", 409)]
)
def test_a_moment_that_a_session_does_not_have_is_refused(world: WebWorld, at: str, status: int) -> None:
    answer = world.get(f"/p/demo/s/{world.session}?at={at}")

    assert answer.status_code == status
    assert "<h1>" in answer.text


def test_the_part_of_a_moment_is_sent_once(world: WebWorld) -> None:
    path = f"/p/demo/s/{world.session}?at=3&part=1"

    first = world.get(path)
    again = world.get(path, **{"if-none-match": first.headers["etag"]})

    assert "This is the past" in first.text
    assert again.status_code == 304


def test_attempts_in_time_are_a_drawing_and_the_same_as_a_list(world: WebWorld) -> None:
    runs = world.store.read(lambda tx: queries.runs_of(tx, world.session))

    text = of_session(world, "/timeline")
    older = of_session(world, "/timeline?skip=2")

    assert len(runs) == 6
    assert len(re.findall(r'<rect class="bar done"', text)) == len(runs)
    assert text.count("<tr data-row>") == len(runs)
    assert older.count('<rect class="bar') == older.count("<tr data-row>") == len(runs) - 2
    assert 'href="?skip=0" rel="prev"' in older
    assert len(re.findall(r'<rect class="bar done"', of_session(world))) == len(runs)


def test_an_attempt_under_way_is_drawn_until_the_last_change(tmp_path: Path) -> None:
    with web_world(tmp_path) as world:
        host = factories.make_host(world.store)
        factories.one_beat(world.store, world.session, world.lead)
        run = factories.claim(world.store, host)
        assert run is not None

        under_way = of_session(world, "/timeline")

        assert '<rect class="bar running"' in under_way
        assert "RESEARCH-001: open, under way" in under_way
        assert "under way</td>" in under_way
        assert of_session(world, "/timeline?part=1") == of_session(world, "/timeline?part=1")


def test_a_lost_attempt_has_a_mark_beside_its_colour_and_names_are_text() -> None:
    lost = ShownAttempt("r", "<b>&", "writer", "lost", "mine", Span(0, 10), "", 0.0)

    drawn = timeline(Attempts((lost,), 0, 1, 10), "demo", "S", language("en"))

    assert drawn is not None
    assert "×</text>" in drawn.svg
    assert "&lt;b&gt;&amp;" in drawn.svg
    assert "<b>" not in drawn.svg
    assert "/t/%3Cb%3E%26" in drawn.svg


def test_the_cost_of_all_sessions_leads_to_each(world: WebWorld) -> None:
    page = world.get("/p/demo/cost").text

    assert "By session" in page
    assert "By role" in page


def test_items_are_shown_from_goals_to_stories(tmp_path: Path) -> None:
    text = (
        b"## STORY-001-001: See orders\n\nREQ-001.\n\n## REQ-001: Order\n\nServes G-001.\n\n## G-001: Quick\n"
    )
    with web_world(tmp_path) as world:
        world.store.write(
            lambda tx: artifacts.register(
                tx,
                world.session,
                "spec/all.md",
                artifacts.put(tx, text),
                len(text),
                "document",
                author="writer",
                task=None,
                run=None,
            )
        )

        page = of_session(world, "/impact")

    assert page.index("<h3>goal") < page.index("<h3>requirement") < page.index("<h3>story")


def test_the_system_shows_settings_without_what_may_be_a_secret(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MINE_API_KEY", SECRET)
    with web_world(tmp_path) as world:
        (tmp_path / ".workflow" / "config.toml").write_text(
            f'[agents.mine]\ncommand = ["mine", "--key", "{SECRET}x"]\nmodel = "{SECRET}"\n'
            f'[notify]\nwebhook = "https://hooks.example/T1/{SECRET}x"\n'
        )
        world.leave_lead()

        page = world.get("/p/demo/system").text
        found = world.get("/api/v1/system").json()

    assert SECRET not in page
    assert "https://hooks.example/..." in page
    assert "slots" in page
    assert "No coordinator is running" in page
    assert [each["project"] for each in found["projects"]] == ["demo"]
    assert {"program", "disk", "configuration"} <= {each["check"] for each in found["projects"][0]["checks"]}


def test_a_broken_configuration_is_said_on_the_page_of_the_system(tmp_path: Path) -> None:
    with web_world(tmp_path) as world:
        (tmp_path / ".workflow" / "config.toml").write_text("slots = 0\n")

        page = world.get("/p/demo/system")

    assert page.status_code == 200
    assert "The configuration has an error" in page.text
    assert "slots" in page.text


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        ({"command": ["a", "--key", "b"]}, {"command": ["a", "..."]}),
        ({"base_url": "http://u:p@127.0.0.1:9/v1?k=1"}, {"base_url": "http://127.0.0.1:9/..."}),
        ({"webhook": "https://h.example?k=1"}, {"webhook": "https://h.example/..."}),
        ({"webhook": None, "slots": 4}, {"webhook": None, "slots": 4}),
    ],
)
def test_arguments_and_paths_are_left_out_of_settings(given: object, shown: object) -> None:
    assert without_secrets(given) == shown
