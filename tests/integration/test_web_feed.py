"""What streams are told: each commit, each process that is gone, and that everything has been told; never that unchecked."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import Awaitable, Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from orchestrator.store import leases, messages, sessions
from orchestrator.store.clock import process_start
from orchestrator.web import feed
from orchestrator.web.feed import Feed, Subscriber
from tests import factories
from tests.patience import patient
from tests.web_world import WebWorld, web_world


@pytest.fixture
def world(tmp_path: Path) -> Iterator[WebWorld]:
    with web_world(tmp_path) as made:
        yield made


def listening(world: WebWorld, act: Callable[[Feed, Subscriber], Awaitable[None]]) -> None:
    """`act` with a stream that has begun."""

    async def run() -> None:
        told = world.site.feed
        with told.subscribed("ana", hears_alive=True) as subscriber:
            await told.begun()
            await act(told, subscriber)

    asyncio.run(run())


async def taken(subscriber: Subscriber) -> dict[str, int] | None:
    while not await asyncio.wait_for(subscriber.wait(), patient(10)):
        pass  # it was only to look round
    return subscriber.take()


async def hinted(subscriber: Subscriber) -> dict[str, int]:
    """The next hint of something that changed."""
    while (found := await taken(subscriber)) is None:
        pass
    return found


def test_who_listens_hears_each_second_that_everything_was_told(world: WebWorld) -> None:
    async def act(told: Feed, subscriber: Subscriber) -> None:
        version = told.version
        assert [await taken(subscriber), await taken(subscriber)] == [None, None]
        assert told.version == version

    listening(world, act)


def test_nothing_is_called_told_while_the_database_does_not_answer_and_others_are_served(
    world: WebWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(feed, "ALIVE_SECONDS", 0.1)
    served = world.site.projects[0]

    async def act(told: Feed, subscriber: Subscriber) -> None:
        assert await taken(subscriber) is None
        with served._lock:  # as a thread has it that waits for the disk
            await asyncio.wait_for(asyncio.sleep(0.3), patient(5))  # the loop goes on
            subscriber.take()
            with suppress(TimeoutError):
                await asyncio.wait_for(subscriber.wait(), 0.2)  # what was said before
            with pytest.raises(TimeoutError):
                await asyncio.wait_for(subscriber.wait(), 0.5)
        assert await taken(subscriber) is None

    listening(world, act)


def test_a_commit_that_took_long_is_named_beside_another_sessions(world: WebWorld) -> None:
    other = factories.make_session(world.store, "Some other work")

    async def act(told: Feed, subscriber: Subscriber) -> None:
        def unit(tx: object) -> None:
            messages.event(tx, other, "note", "now")  # type: ignore[arg-type]
            messages.event(tx, world.session, "note", "prepared half a minute ago")  # type: ignore[arg-type]

        world.store.write(unit)
        factories.date_back(world.store, world.session, 30.0)
        names: set[str] = set()
        while len(names) < 2:
            names |= (await hinted(subscriber)).keys()
        assert names == {f"demo/{world.session}", f"demo/{other}"}

    listening(world, act)


def test_many_commits_make_at_most_five_hints_a_second_and_the_last_names_the_newest_message(
    world: WebWorld,
) -> None:
    async def act(told: Feed, subscriber: Subscriber) -> None:
        loop = asyncio.get_running_loop()
        begun, newest = loop.time(), 0
        found: list[int] = []
        committing = asyncio.create_task(asyncio.to_thread(note_often))
        while not committing.done() or found[-1] < newest:
            found.append((await hinted(subscriber)).get(f"demo/{world.session}", 0))
            newest = committing.result() if committing.done() else 0
        assert len(found) <= (loop.time() - begun) / feed.HINT_SECONDS + 1
        assert found == sorted(found)
        assert found[-1] == newest

    def note_often() -> int:
        for _ in range(200):
            world.store.write(lambda tx: messages.event(tx, world.session, "note", "often"))
        row = world.store.read(lambda tx: sessions.get(tx, world.session))
        assert row is not None
        return row.messages

    listening(world, act)


def test_who_comes_when_the_last_has_just_gone_is_told(world: WebWorld) -> None:
    async def run() -> list[dict[str, int]]:
        told = world.site.feed
        found: list[dict[str, int]] = []
        for _ in range(10):
            with told.subscribed("ana", hears_alive=True) as subscriber:
                await told.begun()
                world.store.write(lambda tx: messages.event(tx, world.session, "note", "x"))
                found.append(await hinted(subscriber))
        return found

    assert [list(each) for each in asyncio.run(run())] == [[f"demo/{world.session}"]] * 10


def test_a_killed_coordinator_is_told_though_nothing_was_committed(world: WebWorld) -> None:
    process = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
    world.leave_lead()
    started = process_start(process.pid) or 0
    world.store.write(
        lambda tx: leases.take_lead(tx, "d-other", pid=process.pid, started=started, lease_seconds=3600.0)
    )
    before = world.get("/p/demo/sessions").text

    async def act(told: Feed, subscriber: Subscriber) -> None:
        version = world.site.projects[0].version()
        process.kill()
        process.wait()
        assert await hinted(subscriber) == {}  # any page may say something else now
        assert world.site.projects[0].version() != version

    listening(world, act)
    shown = world.get("/").text

    assert "no coordinator is running" not in before
    assert "no coordinator is running" in shown


def test_streams_end_when_their_project_is_no_longer_watched(
    world: WebWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def act(told: Feed, subscriber: Subscriber) -> None:
        def fail() -> int:
            raise RuntimeError("a bug")

        monkeypatch.setattr(world.site.projects[0], "version", fail)
        while told.is_watching:
            await asyncio.wait_for(subscriber.wait(), patient(10))
        monkeypatch.undo()
        with told.subscribed("berta", hears_alive=True) as again:  # who comes again is told again
            await told.begun()
            assert await taken(again) is None

    listening(world, act)


@pytest.mark.parametrize("path", ["/api/v1/events", "/api/v1/p/demo/sessions/{}/events"])
def test_a_stream_that_nothing_would_wake_any_more_ends(
    world: WebWorld, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    def fail() -> int:
        raise RuntimeError("a bug")

    monkeypatch.setattr(world.site.projects[0], "version", fail)
    answer = world.get(path.format(world.session))

    assert answer.text.endswith('event: bye\ndata: {"why": "nothing is watched any more"}\n\n')


def test_what_was_told_of_some_sessions_and_of_all_adds_up_to_all() -> None:
    async def run() -> list[dict[str, int] | None]:
        found = []
        for said in (
            [{"p/a": 1}, {"p/b": 2}],
            [{"p/a": 1}, {}],
            [{}, {"p/a": 1}],
            [None, {"p/a": 1}, None],
            [None],
        ):
            subscriber = Subscriber()
            for each in said:
                subscriber.tell(each)
            found.append(subscriber.take())
            assert subscriber.take() is None
        return found

    assert asyncio.run(run()) == [{"p/a": 1, "p/b": 2}, {}, {}, {"p/a": 1}, None]
