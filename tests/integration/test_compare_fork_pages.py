"""Two sessions side by side in the web, and a fork: its plan first, then once."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest

from orchestrator.store import artifacts, sessions
from orchestrator.store.store import Tx
from tests import factories
from tests.e2e.cli_world import work_off
from tests.web_world import ORIGIN, WebWorld, web_world

BRIEF = "spec/product-brief.md"
TITLE = "Another & session"
API = "/api/v1/p/demo/sessions"


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WebWorld]:
    """A session that was worked off to its checkpoint, and one that has just begun."""
    with web_world(tmp_path_factory.mktemp("compare")) as made:
        made.leave_lead()
        made.session = factories.make_session(made.store, "Build a shop", mode="full-lifecycle")
        work_off(made.store, made.session)
        made.lead = factories.lead(made.store)
        other = factories.make_session(made.store, TITLE)
        written(made, made.session, "# Brief\n\nLinks expire after 30 days.\n")
        written(made, other, "# Brief\n\nLinks expire after 60 days.\n")
        yield made


def written(world: WebWorld, session: str, text: str) -> None:
    def unit(tx: Tx) -> None:
        digest = artifacts.put(tx, text.encode())
        artifacts.register(
            tx, session, BRIEF, digest, len(text), "document", author="writer", task=None, run=None
        )

    world.store.write(unit)


def others(world: WebWorld) -> list[str]:
    return [row.id for row in world.store.read(sessions.all_sessions) if row.id != world.session]


def hidden(text: str, form: str) -> dict[str, str]:
    found = text.partition(f'id="{form}"')[2].partition("</form>")[0]
    return dict(re.findall(r'type="hidden" name="(\w+)" value="([^"]*)"', found))


def send(world: WebWorld, cookie: str, **fields: str) -> Any:
    given = {"form_token": world.form_token(cookie), **fields}
    address = f"/p/demo/s/{world.session}/commands/fork"
    return world.client.post(address, data=given, headers={"cookie": cookie, "origin": ORIGIN})


def test_a_page_offers_the_other_sessions_and_compares_with_one(world: WebWorld) -> None:
    page = f"/p/demo/s/{world.session}/compare"

    offered = world.get(page).text
    text = world.get(f"{page}?with=TLS-another&diff=1").text
    found = world.get(f"{API}/{world.session}/compare/TLS-another?diff=true").json()

    assert set(re.findall(r'<option value="(TLS[^"]+)"', offered)) == set(others(world))
    assert "Another &amp; session" in text
    rows = re.findall(r'<th scope="row">([^<]+)</th>', text)
    assert rows == [each["name"] for each in found["rows"]]
    assert {"tasks", "gate", "cost"} <= set(rows)
    assert "REVIEW" in text
    assert "<ins>60</ins>" in text
    assert "<del>30</del>" in text
    differing = [each["path"] for each in found["diff"]["documents"]]
    assert BRIEF in differing
    only = text.partition("Only A has")[2]
    assert [path for path in differing if f"<li>{path}</li>" in only] == [
        path for path in differing if path != BRIEF
    ]


@pytest.mark.parametrize("other", ["no-such", "SELF"])
def test_what_cannot_be_compared_is_refused(world: WebWorld, other: str) -> None:
    name = world.session if other == "SELF" else other

    page = world.get(f"/p/demo/s/{world.session}/compare?with={name}")
    api = world.get(f"{API}/{world.session}/compare/{name}")

    assert page.status_code == api.status_code == (422 if other == "SELF" else 404)
    assert api.json()["fix"]


def test_a_fork_shows_its_plan_and_is_made_once(world: WebWorld) -> None:
    cookie = world.cookie()
    before = others(world)
    form = world.client.get(f"/p/demo/s/{world.session}", headers={"cookie": cookie}).text
    tasks = re.findall(
        r"<option>([\w-]+)</option>", form.partition('id="fork-at"')[2].partition("</select>")[0]
    )

    plan = send(world, cookie, plan="true", at="DRAFT-002", agent="")
    unchanged = others(world)
    sent = hidden(plan.text, "form-fork")
    made = send(world, cookie, **sent)
    again = send(world, cookie, **sent)
    address = made.headers["location"]
    page = world.client.get(address, headers={"cookie": cookie}).text

    assert "DRAFT-002" in tasks
    assert unchanged == before
    assert "behind DRAFT-002" in plan.text
    assert f"lifecycle fork {world.session} --at DRAFT-002 --key {sent['key']}" in plan.text
    assert "<li>DRAFT-003</li>" in plan.text
    assert (made.status_code, again.status_code) == (303, 303)
    assert again.headers["location"] == address
    (fork,) = set(others(world)) - set(before)
    assert address == f"/p/demo/s/{fork}?done=fork"
    assert "This is the fork." in page
    compared = world.get(f"/p/demo/s/{world.session}/compare?with={fork}").text
    assert "B is a fork of A behind DRAFT-002." in compared


def test_the_api_forks_under_a_key(world: WebWorld) -> None:
    address = f"{API}/{world.session}/commands/fork"
    asked = {"at": "DRAFT-001"}

    planned = world.post(address, {**asked, "plan": True})
    made = world.post(address, asked, **{"idempotency-key": "k-fork"})
    again = world.post(address, asked, **{"idempotency-key": "k-fork"})
    other = world.post(address, {"at": "DRAFT-002"}, **{"idempotency-key": "k-fork"})
    unknown = world.post(address, {"at": "DRAFT-099"})
    foreign = world.post(address, {**asked, "session": "another"})

    assert (planned.status_code, planned.json()["session"]) == (200, None)
    assert (made.status_code, again.status_code) == (201, 200)
    assert made.json()["session"] == again.json()["session"]
    assert (other.status_code, unknown.status_code, foreign.status_code) == (422, 404, 422)


def test_who_may_only_look_sees_no_form_of_a_fork(world: WebWorld) -> None:
    cookie = world.cookie("read")

    page = world.client.get(f"/p/demo/s/{world.session}", headers={"cookie": cookie})
    sent = send(world, cookie, at="DRAFT-001")

    assert "form-fork" not in page.text
    assert sent.status_code == 403
