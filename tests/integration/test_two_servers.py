"""Two servers of one database: a host that joined at either hears of what is offered by anybody."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from orchestrator.domain.elsewhere import ROLES_ELSEWHERE
from orchestrator.door.commit_watch import CommitWatch
from orchestrator.door.http_desk import HttpDesk
from orchestrator.log import configure
from orchestrator.server.news import OfferNews
from orchestrator.store.run_ids import new_run_id
from orchestrator.store.store import Store
from tests import factories as make
from tests import invariants
from tests.door_server import serving
from tests.patience import patient
from tests.postgres_server import Server

HEARD_SECONDS = 1.0
ROLES = tuple(sorted(ROLES_ELSEWHERE))


@pytest.fixture
def address(postgres: Server) -> str:
    return postgres.database("empty")


@pytest.fixture
def stores(address: str, tmp_path: Path) -> Iterator[list[Store]]:
    """Two machines' and a third one's, which coordinates."""
    found = [make.make_postgres_store(tmp_path / name, address) for name in ("a", "b", "leader")]
    yield found
    invariants.check_store(found[0])
    for each in found:
        each.close()


def test_hosts_at_either_server_hear_of_an_offer_that_neither_has_made(stores: list[Store]) -> None:
    session = make.make_session(stores[2])
    lead = make.lead(stores[2])
    with ExitStack() as both:
        desks = []
        for number, store in enumerate(stores[:2]):
            running = both.enter_context(serving(store))
            desk = HttpDesk(running.connections(running.token(f"far-{number}", ROLES)), store.workflow)
            desk.register(f"h-far{number}", roles=ROLES, slots=1, lease_seconds=30.0)
            desks.append(desk)
        heard: dict[int, float] = {}

        def listen(number: int, seen: int) -> None:
            while not desks[number].news(f"h-far{number}", seen, 20.0).is_new:
                pass
            heard[number] = time.monotonic()

        seen = [desk.news(f"h-far{number}", 0, 0.0).seen for number, desk in enumerate(desks)]
        listening = [threading.Thread(target=listen, args=(n, seen[n]), daemon=True) for n in range(2)]
        for thread in listening:
            thread.start()

        make.one_beat(stores[2], session, lead)  # nobody is woken: the coordinator's machine is another one
        offered = time.monotonic()

        for thread in listening:
            thread.join(patient(20))
        assert sorted(heard) == [0, 1]
        assert max(heard.values()) - offered < patient(HEARD_SECONDS)
        claimed = [desk.claim(f"h-far{n}", ROLES, new_run_id()) for n, desk in enumerate(desks)]
        assert sum(run is not None for run in claimed) == 1


def test_an_offer_is_told_of_once_and_a_commit_without_one_not_at_all(stores: list[Store]) -> None:
    told: list[int] = []
    news = OfferNews(stores[0], lambda: told.append(1))
    session = make.make_session(stores[2])
    news.poll()
    assert told == []

    make.one_beat(stores[2], session, make.lead(stores[2]))
    news.poll()
    make.make_host(stores[2])
    news.poll()

    assert told == [1]


def test_a_watch_outlasts_a_server_that_goes_away(address: str, tmp_path: Path, postgres: Server) -> None:
    store = make.make_postgres_store(tmp_path, address)
    told = threading.Event()
    watch = CommitWatch(store, told.set, configure(None))
    watch.start()
    assert told.wait(patient(10))
    postgres.stop("immediate")
    postgres.start()
    deadline = time.monotonic() + patient(20)
    while True:
        told.clear()
        make.make_session(store)
        if told.wait(1.5):
            break
        assert time.monotonic() < deadline, "commits are told of again"

    watch.close()
    store.close()


def test_an_agent_may_ask_another_server_than_the_one_that_gave_its_token(stores: list[Store]) -> None:
    make.one_beat(stores[2], make.make_session(stores[2]), make.lead(stores[2]))
    with serving(stores[0]) as one, serving(stores[1]) as other:
        desk = HttpDesk(one.connections(one.token("far", ROLES)), stores[0].workflow).as_desk()
        desk.register("h-far", roles=ROLES, slots=1, lease_seconds=30.0)
        run = desk.claim("h-far", ROLES, new_run_id())
        assert run is not None
        token = f"{run.run}.{desk.agent_token(run)}"

        for server, bearer, status in (
            (other, token, 200),
            (one, token, 200),
            (other, f"{token}x", 401),
            (other, f"{new_run_id()}.{token.partition('.')[2]}", 401),
        ):
            assert server.connections(bearer).ask("agent/task_list", b"{}", 30.0)[0] == status
    assert not any((store.workflow / "mcp.secret").exists() for store in stores)
