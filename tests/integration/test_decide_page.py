"""The page that decides: everything that an answer needs, for every reason to wait, and buttons that mean what was shown."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape
from pathlib import Path
from typing import Any

import pytest

from orchestrator.domain.json_types import JsonObject
from orchestrator.domain.pauses import PauseReason
from orchestrator.store import artifacts, decisions, sessions
from orchestrator.store.store import Tx
from tests import factories
from tests.web_world import ORIGIN, WebWorld, web_world

BRIEF = "spec/product-brief.md"


@pytest.fixture
def world(tmp_path: Path) -> Iterator[WebWorld]:
    with web_world(tmp_path) as made:
        yield made


def write(world: WebWorld, path: str, text: str) -> None:
    def unit(tx: Tx) -> None:
        body = text.encode()
        digest = artifacts.put(tx, body)
        artifacts.register(
            tx, world.session, path, digest, len(body), "document", author="writer", task=None, run=None
        )

    world.store.write(unit)


def pause(world: WebWorld, reason: PauseReason, **detail: Any) -> None:
    assert world.store.write(lambda tx: sessions.pause(tx, world.session, reason, detail))


def approve(world: WebWorld) -> None:
    def unit(tx: Tx) -> None:
        digest = sessions.subject_digest(tx, world.session, PauseReason.CHECKPOINT)
        decisions.decide(tx, world.session, "approve_checkpoint QUALITY-001", "ana", "", digest=digest)

    world.store.write(unit)


def shown(world: WebWorld, **headers: str) -> str:
    """The page as a browser with a cookie gets it."""
    answer = world.client.get(
        f"/p/demo/s/{world.session}/decide", headers=headers or {"cookie": world.cookie()}
    )
    assert answer.status_code == 200, answer.text
    return str(answer.text)


def fields(text: str, button: str) -> dict[str, str]:
    """The hidden fields of the form with this button."""
    form = next(part for part in re.findall(r"<form.*?</form>", text, re.S) if f">{button}" in part)
    return {
        name: unescape(value)
        for name, value in re.findall(r'<input type="hidden" name="([^"]+)" value="([^"]*)"', form)
    }


def send(world: WebWorld, cookie: str, given: dict[str, str]) -> Any:
    return world.client.post(
        f"/p/demo/s/{world.session}/commands/resume",
        data=given,
        headers={"cookie": cookie, "origin": ORIGIN, "sec-fetch-site": "same-origin"},
    )


def status(world: WebWorld) -> str:
    row = world.store.read(lambda tx: sessions.get(tx, world.session))
    assert row is not None
    return str(row.status)


def test_the_button_names_the_digest_and_approves_exactly_that(world: WebWorld) -> None:
    write(world, BRIEF, "# Brief")
    pause(world, PauseReason.CHECKPOINT, task="QUALITY-001")
    cookie = world.cookie()
    text = shown(world, cookie=cookie)
    token = fields(text, "Approve ")["expect"]
    assert f">Approve {token.partition('.')[2]}</button>" in text

    write(world, BRIEF, "# Brief\n\nAnother demand.")
    stale = send(world, cookie, fields(text, "Approve "))
    assert (stale.status_code, status(world)) == (412, "paused")
    again = shown(world, cookie=cookie)
    done = send(world, cookie, fields(again, "Approve "))

    assert "It has changed since it paused" in again
    assert (done.status_code, status(world)) == (303, "active")


def test_what_changed_since_the_last_approval_comes_with_its_words_largest_first(world: WebWorld) -> None:
    write(world, BRIEF, "# Brief\n\nLinks expire after 30 days.")
    write(world, "spec/small.md", "one\n")
    write(world, "spec/same.md", "same")
    approve(world)
    write(world, BRIEF, "# Brief\n\nLinks expire after 45 days.\n\nAnd more.")
    write(world, "spec/small.md", "two\n")
    write(world, "spec/new.md", "# New")
    pause(world, PauseReason.CHECKPOINT, task="QUALITY-001")

    text = shown(world)

    assert re.findall(r'<details class="change" id="change-([^"]+)" open>', text) == [BRIEF, "spec/small.md"]
    assert "<del>30</del>" in text
    assert "1 document not approved before" in text
    assert "same.md" not in text


def test_large_changes_are_a_link_away(world: WebWorld) -> None:
    write(world, BRIEF, "# Brief\n")
    approve(world)
    write(world, BRIEF, "# Brief\n" + "line\n" * 2_000)
    pause(world, PauseReason.CHECKPOINT, task="QUALITY-001")

    text = shown(world)

    assert "The comparison is on its own page" in text
    assert len(text) < 150_000


def score(world: WebWorld, gate: str) -> None:
    """Work a session with a checkpoint off until it waits, its specification scored with one weak place."""
    world.session = factories.make_session(world.store, "Build a shop", mode="full-lifecycle")
    lead, host = world.lead, factories.make_host(world.store, seconds=3600.0)
    weak = [{"where": "spec/DRAFT-001.md", "code": "section_thin", "detail": "vision", "todo": "Say more."}]
    dimensions = {"depth": {"score": 41.0, "weak": weak}}
    found = {"gate": gate, "score": 41.0, "data": {"dimensions": dimensions}}
    factories.one_beat(world.store, world.session, lead)
    row = factories.claim(world.store, host)
    while row is not None:
        rated = factories.discussed(row, {"product": 4, "quality": 2}) if row.round else None
        scored = found if row.prefix == "QUALITY" else None
        row = factories.finish(world.store, row, discussed=rated, gate=scored).next
        if row is None:
            factories.one_beat(world.store, world.session, lead)
            row = factories.claim(world.store, host)


def test_a_failed_gate_is_forced_only_behind_a_typed_word(world: WebWorld) -> None:
    score(world, "FAIL")
    cookie = world.cookie()

    text = shown(world, cookie=cookie)

    assert '<span class="tag bad">FAIL</span>' in text
    assert "spec/DRAFT-001.md#section-vision" in text
    assert 'id="force-word" required pattern="force"' in text
    assert ' id="approve"' not in text
    forced = fields(text, "Approve despite the gate")
    assert send(world, cookie, {**forced, "words": "known"}).status_code == 303
    assert status(world) == "active"


def test_the_scores_and_ratings_are_on_the_page(world: WebWorld) -> None:
    score(world, "PASS")

    text = shown(world)

    assert re.search(r'<meter [^>]*value="41.0" aria-label="depth">', text)
    assert "/discuss/DISCUSS-005" in text
    for address in ("discuss", "discuss/DISCUSS-005"):
        page = world.get(f"/p/demo/s/{world.session}/{address}")
        assert (page.status_code, "quality" in page.text) == (200, True)


def test_reading_needs_no_right_to_decide(world: WebWorld) -> None:
    write(world, BRIEF, "# Brief")
    pause(world, PauseReason.CHECKPOINT, task="QUALITY-001")

    text = shown(world, cookie=world.cookie("read"))

    assert "You may only read here" in text
    assert "/commands/" not in text


REASONS: dict[PauseReason, tuple[JsonObject, list[str]]] = {
    PauseReason.TASK_FAILED: (
        {"task": "RESEARCH-001", "error": "AgentFailed: exit 3 <b>"},
        ["exit 3 &lt;b&gt;", "retry the task", ">Continue</button>"],
    ),
    PauseReason.DISCUSSION_BLOCKED: (
        {
            "task": "RESEARCH-001",
            "round": "DISCUSS-001",
            "options": ["Ask the user", {"label": "Go on", "means": "as it is"}],
            "faults": [{"severity": "HIGH", "text": "no user is named", "perspectives": ["product"]}],
        },
        [">Ask the user</button>", ">Go on: as it is</button>", "no user is named", 'name="decide"'],
    ),
    PauseReason.WORK_QUESTION: (
        {"task": "RESEARCH-001", "question": "Which database?"},
        ["Which database?", 'name="decide"'],
    ),
    PauseReason.BUDGET: (
        {"scope": "session", "measure": "turns"},
        ['name="max_usd"', "continue with a new budget"],
    ),
    PauseReason.AGENT_UNAVAILABLE: (
        {"agent": "claude", "error": "not logged in"},
        ["not logged in", "check again"],
    ),
    PauseReason.DISK: (
        {"error": "No space left on device"},
        ["No space left on device", ">Continue</button>"],
    ),
    PauseReason.STALLED: ({"why": "no host claims"}, ["no host claims", ">Continue</button>"]),
    PauseReason.USER: ({}, [">Continue</button>"]),
}


@pytest.mark.parametrize("reason", REASONS)
def test_every_reason_shows_what_is_asked_and_how_to_answer(world: WebWorld, reason: PauseReason) -> None:
    detail, expected = REASONS[reason]
    world.session = factories.make_session(world.store, "Build a shop", budget={"session": {"turns": 1}})
    pause(world, reason, **detail)

    text = shown(world)

    assert [each for each in expected if each not in text] == []


def test_an_option_of_a_blocked_discussion_is_decided_by_its_button(world: WebWorld) -> None:
    detail, _ = REASONS[PauseReason.DISCUSSION_BLOCKED]
    pause(world, PauseReason.DISCUSSION_BLOCKED, **detail)
    cookie = world.cookie()

    answer = send(world, cookie, fields(shown(world, cookie=cookie), "Go on"))

    found = world.store.read(lambda tx: decisions.decisions_of(tx, world.session))
    assert answer.status_code == 303, answer.text
    assert [(row.words, row.who) for row in found] == [("Go on", "ana (web)")]


def test_a_session_that_waits_for_nobody_says_so(world: WebWorld) -> None:
    text = shown(world)

    assert "It waits for nobody" in text
    assert "/commands/resume" not in text
