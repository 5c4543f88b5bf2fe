"""Feedback by the form of a session's page: about a document that is chosen, or that the words name."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from orchestrator.domain.pauses import PauseReason
from orchestrator.store import sessions, tasks
from tests.e2e.cli_world import work_off
from tests.web_world import ORIGIN, WebWorld, web_world

VAGUE = "Please think about old people"
FORM = re.compile(r'<form [^>]*id="form-feedback">.*?</form>', re.DOTALL)


@pytest.fixture
def world(tmp_path: Path) -> Iterator[WebWorld]:
    with web_world(tmp_path) as made:
        yield made


def form_of(page: str) -> str:
    return FORM.findall(page)[0]


def offered(form: str) -> dict[str, str]:
    """Value -> label of the documents to choose from."""
    return dict(re.findall(r'<option value="([^"]*)"[^>]*>([^<]*)</option>', form))


def sent(world: WebWorld, cookie: str, form: str, **fields: str) -> Any:
    """The answer to the form as a browser sends it, with its hidden fields."""
    hidden = dict(re.findall(r'<input type="hidden" name="([^"]+)" value="([^"]*)">', form))
    action = re.findall(r'action="([^"]+)"', form)[0]
    headers = {"cookie": cookie, "accept": "text/html", "sec-fetch-site": "same-origin", "origin": ORIGIN}
    return world.client.post(action, data={**hidden, **fields}, headers=headers)


def answered(world: WebWorld) -> dict[str, list[str]]:
    """Task -> the feedback that it has to answer."""
    rows = world.store.read(lambda tx: tasks.all_tasks(tx, world.session))
    return {row.key: row.payload["feedback"] for row in rows if "feedback" in row.payload}


def test_a_session_that_runs_takes_feedback_too(world: WebWorld) -> None:
    cookie = world.cookie()
    session = f"/p/demo/s/{world.session}"
    page = world.client.get(session, headers={"cookie": cookie}).text

    taken = sent(world, cookie, form_of(page), text="The requirements should name reminders by text message")
    reader = world.client.get(session, headers={"cookie": world.cookie("read")}).text

    assert world.store.read(lambda tx: sessions.get(tx, world.session)).status == "active"  # type: ignore[union-attr]
    assert taken.headers["location"] == f"{session}?done=feedback"
    assert not FORM.findall(reader)


def test_only_what_has_a_document_is_offered_for_a_revision(world: WebWorld) -> None:
    world.leave_lead()
    work_off(world.store, world.session)
    shown = world.client.get(f"/p/demo/s/{world.session}", headers={"cookie": world.cookie()}).text

    offered_now = offered(re.findall(r'<form [^>]*id="form-revise">.*?</form>', shown, re.DOTALL)[0])

    assert offered_now["DRAFT-002"] == "DRAFT-002: Requirements"
    assert not {each for each in offered_now if each.startswith(("QUALITY", "DISCUSS"))}


def test_words_that_name_no_document_lead_to_a_page_on_which_one_is_chosen(world: WebWorld) -> None:
    cookie = world.cookie()
    session = f"/p/demo/s/{world.session}"
    world.store.write(lambda tx: sessions.pause(tx, world.session, PauseReason.REVISION_EXHAUSTED, {}))

    first = form_of(world.client.get(session, headers={"cookie": cookie}).text)
    unclear = sent(world, cookie, first, task="", text=VAGUE)
    again = form_of(unclear.text)
    untouched = answered(world)
    taken = sent(world, cookie, again, task="DRAFT-002", text=VAGUE)
    twice = sent(world, cookie, again, task="DRAFT-002", text=VAGUE)

    assert next(iter(offered(first).items())) == ("", "the one that the words name")
    assert offered(first)["DRAFT-002"] == "DRAFT-002: Requirements"
    assert all("<select" in form and 'name="task"' in form for form in (first, again))
    assert "QUALITY-001" not in offered(first)
    assert unclear.status_code == 422
    assert "<h1>Which document is your feedback about?</h1>" in unclear.text
    assert "lifecycle feedback" not in unclear.text
    assert f">{VAGUE}</textarea>" in again
    assert set(offered(again)) == set(offered(first)) - {""}
    assert untouched == {}
    assert [each.headers["location"] for each in (taken, twice)] == [f"{session}?done=feedback"] * 2
    assert answered(world) == {"DRAFT-002": [VAGUE]}
