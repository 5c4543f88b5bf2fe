"""`lifecycle serve` as processes: commands, streams, and a server that is killed."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from orchestrator.store import messages
from tests import factories
from tests.e2e.cli_world import World, make_world, work_off
from tests.e2e.support import lifecycle
from tests.e2e.web_server import EventStream, serve


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    with lifecycle(tmp_path / "p") as life:
        made = make_world(life)
        yield made
        made.store.close()


def at_a_checkpoint(world: World) -> str:
    session = factories.make_session(world.store, mode="full-lifecycle")
    work_off(world.store, session)
    assert world.life.status(session) == ("paused", "checkpoint")
    return session


def say(world: World, session: str, summary: str) -> None:
    world.store.write(lambda tx: messages.event(tx, session, "note", summary))


def test_an_approval_needs_the_token_of_what_was_shown_and_is_applied_once(world: World) -> None:
    session = at_a_checkpoint(world)
    served = serve(world.life)
    address = f"/api/v1/p/p/sessions/{session}"
    resume = f"{address}/commands/resume"

    token = served.ask("GET", f"{address}/approval")[1]["token"]
    number = token.partition(".")[0]
    bare, needed = served.ask("POST", resume, {})
    stale, changed = served.ask("POST", resume, {}, if_match=f'"{number}.{"0" * 16}"')
    before = world.life.pids()  # reading, and what was refused, started no coordinator
    done, first = served.ask("POST", resume, {}, if_match=f'"{token}"', idempotency_key="k-1")
    again, second = served.ask("POST", resume, {}, if_match=f'"{token}"', idempotency_key="k-1")
    other, reused = served.ask("POST", f"{address}/commands/pause", {}, idempotency_key="k-1")
    late, _ = served.ask("POST", resume, {}, if_match=f'"{token}"', idempotency_key="k-2")

    assert (bare, needed["type"]) == (428, "urn:lifecycle:TokenNeeded")
    assert (stale, changed["type"], changed["token"]) == (412, "urn:lifecycle:Changed", token)
    assert before == {served.process.pid}
    assert (done, first["repeated"], first["done"]) == (200, False, "resumed")
    assert (again, second["repeated"]) == (200, True)
    assert (other, reused["type"]) == (422, "urn:lifecycle:KeyReused")
    assert late in (409, 412)
    decided = world.life.rows("SELECT who FROM decisions WHERE session_id = ?", session)
    assert decided == [("program (web)",)]


def test_a_stream_goes_on_behind_the_last_message_after_the_server_was_killed(world: World) -> None:
    life = world.life
    session = factories.make_session(world.store)
    served = serve(life)
    cookie = served.enter()
    address = f"/api/v1/p/p/sessions/{session}/events"
    hints, stream = EventStream(served, "/api/v1/events"), EventStream(served, address)
    life.wait(lambda: hints.named("hello") and stream.named("message"), "both streams have begun")
    say(world, session, "said before the kill")
    life.wait(lambda: stream.named("message")[-1]["summary"] == "said before the kill", "the message")
    life.wait(lambda: f"p/{session}" in str(hints.named("changed")), "the hint")

    served.process.send_signal(signal.SIGKILL)
    life.wait(lambda: hints.ended and stream.ended, "the streams have ended")
    say(world, session, "said while nobody served")
    last = stream.events[-1][1]
    assert last is not None
    again = serve(life, port=served.port)
    status, _ = again.ask("GET", "/api/v1/inbox", cookie=cookie)
    resumed = EventStream(again, f"{address}?after=0", {"last-event-id": last})
    life.wait(lambda: resumed.named("message"), "the next message")
    anew = EventStream(again, "/api/v1/events")
    life.wait(lambda: anew.named("hello"), "the stream of hints")
    again.process.send_signal(signal.SIGTERM)
    ended = again.process.wait(timeout=30)

    numbers = [int(id) for _, id, _ in [*stream.events, *resumed.events] if id]
    assert numbers == list(range(1, len(numbers) + 1))  # none lost, none twice
    assert resumed.named("message")[-1]["summary"] == "said while nobody served"
    assert (status, ended) == (200, 0)
    assert hints.named("hello")[0]["boot"] != anew.named("hello")[0]["boot"]
    life.wait(lambda: anew.named("bye") and resumed.named("bye"), "they were told that the server stops")


def test_every_link_cookie_and_stream_ends_with_revoke(world: World) -> None:
    session = factories.make_session(world.store)
    served = serve(world.life)
    cookie = served.enter()
    entered, _ = served.ask("GET", "/", cookie=cookie, authorization="")
    state = {"LIFECYCLE_STATE_DIR": str(world.life.folder.parent / "state")}

    stream = EventStream(served, "/api/v1/events", {"authorization": "", "cookie": cookie})
    world.life.wait(lambda: stream.named("hello"), "the stream has begun")
    link = world.life.run("serve", "--link", "berta", env=state).out
    revoked = world.life.run("serve", "--revoke", env=state)

    say(world, session, "said after the revocation")
    world.life.wait(lambda: stream.ended, "the stream has ended")
    assert "changed" not in str(stream.events)
    assert f"http://lifecycle.localhost:{served.port}/enter#" in link
    assert (entered, revoked.code) == (200, 0)
    assert served.ask("GET", "/", cookie=cookie, authorization="")[0] == 401
    key = world.life.folder.parent / "state" / "web" / "key"
    assert key.stat().st_mode & 0o777 == 0o600
    assert key.parent.stat().st_mode & 0o777 == 0o700
