"""What hosts on other machines cost: a claim at the door, a host that waits, and a server at which many do."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from urllib.parse import urlsplit

from orchestrator import wakeup
from orchestrator.domain.elsewhere import ROLES_ELSEWHERE
from orchestrator.door import wire
from orchestrator.door.desk import Desk, new_run_id
from orchestrator.door.http_connections import Connections
from orchestrator.door.http_desk import HttpDesk
from orchestrator.door.local_desk import LocalDesk
from orchestrator.store import host_tokens
from orchestrator.store.store import Store
from tests import factories as make
from tests.bench.measure import Figure, times
from tests.bench.processes import cpu_seconds, memory
from tests.e2e.support import Lifecycle, lifecycle

LEASE = 20.0
PERIODS = {"lease_seconds": LEASE, "renew_seconds": 5, "watchdog_margin_seconds": 5, "reconcile_seconds": 10}
TEAM_PERIODS = {
    **PERIODS,
    "lease_seconds": 60,
    "renew_seconds": 15,
    "reconcile_seconds": 30,
}  # as config/deploy has them
TOKENS = 10  # that share the hosts which wait


@contextmanager
def _served(folder: Path, periods: Mapping[str, Any] = PERIODS) -> Iterator[tuple[Lifecycle, str, int]]:
    """A project with a server and without a coordinator: its address and its process."""
    with lifecycle(folder / "p", {**periods, "own_host": False}) as here:
        make.make_store(here.folder).close()
        process = here.spawn("server", "--port", "0")
        assert process.stdout is not None
        yield here, process.stdout.readline().strip(), process.pid


def claims() -> Iterator[Figure]:
    """The same claims in turn, in this process and at the door."""
    with TemporaryDirectory(prefix="lifecycle-bench-") as folder, _served(Path(folder)) as (here, url, _):
        store = Store(here.database)
        rounds = times(200, 2)
        by = make.lead(store)
        for number in range(2 * rounds):
            make.one_beat(store, make.make_session(store, f"Build shop {number}"), by)
        token = store.write(lambda tx: host_tokens.add(tx, "far", ROLES_ELSEWHERE, 2 * rounds))
        far = HttpDesk(Connections(url, token), Path(folder) / "far").as_desk()
        desks: list[tuple[Desk, str]] = [(LocalDesk(store), "h-near"), (far, "h-far")]
        taken: dict[str, list[float]] = {host: [] for _, host in desks}
        for desk, host in desks:
            desk.register(host, roles=ROLES_ELSEWHERE, slots=2 * rounds, lease_seconds=LEASE)
        for _ in range(rounds):
            for desk, host in desks:
                begun = time.perf_counter()
                run = desk.claim(host, ROLES_ELSEWHERE, new_run_id())
                taken[host].append(1_000 * (time.perf_counter() - begun))
                assert run is not None
                desk.renew(host, [], lease_seconds=LEASE, draining=False)
        store.close()
    yield Figure("claim in process", "ms", taken["h-near"])
    more = [far - near for far, near in zip(sorted(taken["h-far"]), sorted(taken["h-near"]), strict=True)]
    yield Figure("claim at the door, more than in process", "ms", more, below=5)


def idle_host() -> Iterator[Figure]:
    """A joined host that waits for news, with the periods that we ship and with those of a team's server."""
    yield from _idle("idle joined host, processor, renewing every 5 s", PERIODS, None)
    yield from _idle("idle joined host, processor", TEAM_PERIODS, 0.03)


def _idle(name: str, periods: Mapping[str, Any], below: float | None) -> Iterator[Figure]:
    with (
        TemporaryDirectory(prefix="lifecycle-bench-") as folder,
        _served(Path(folder), periods) as (here, url, _),
        lifecycle(Path(folder) / "clone", periods) as clone,
    ):
        token = Path(folder) / "token"
        token.write_text(here.run("host", "add", "far").out)
        words = ("host", "join", url, "--token-file", str(token), "--folder", str(clone.folder))
        process = clone.spawn(*words)
        here.wait(lambda: here.run("host", "list", "--json").json()[0]["joined"], "the host has joined")
        # Its first renewal and first look load what later ones find loaded. Idleness has no event to wait for.
        time.sleep(times(periods["reconcile_seconds"] + 1))
        before = cpu_seconds(process.pid)
        time.sleep(seconds := times(60))
        share = 100 * (cpu_seconds(process.pid) - before) / seconds
        yield Figure(name, "%", [share], below=below)
        if below is not None:
            yield Figure("idle joined host, memory (resident)", "MB", [memory(process.pid, "Rss")])


def waiting_hosts() -> Iterator[Figure]:
    """A server at which many hosts wait for news, and how soon all of them have heard."""
    with TemporaryDirectory(prefix="lifecycle-bench-") as folder, _served(Path(folder)) as (here, url, pid):
        store = Store(here.database)
        hosts = times(1_000, 10)
        tokens = [
            store.write(lambda tx, name=name: host_tokens.add(tx, name, ROLES_ELSEWHERE, hosts))  # type: ignore[misc]
            for name in (f"far-{number}" for number in range(TOKENS))
        ]
        desks = [HttpDesk(Connections(url, token), Path(folder) / "far").as_desk() for token in tokens]
        names = [(f"h-{number}", number % TOKENS) for number in range(hosts)]
        for name, of in names:
            desks[of].register(name, roles=ROLES_ELSEWHERE, slots=1, lease_seconds=LEASE)
        begun = memory(pid, "Rss")
        held, heard = asyncio.run(
            _wait(url, [(name, tokens[of]) for name, of in names], pid, store.project_id)
        )
        store.close()
        note = f"{begun:.0f} MB before"
        yield Figure(
            f"server with {hosts} waiting hosts, memory (resident)", "MB", [held], below=100, note=note
        )
        yield Figure("from an offer until all of them are answered", "s", [heard])


async def _wait(
    url: str, hosts: list[tuple[str, str]], pid: int, project: wakeup.ProjectId
) -> tuple[float, float]:
    """The server's memory while all wait, and the seconds until the last was answered."""
    at = urlsplit(url)

    async def ask(host: str, token: str, seen: int) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        reader, writer = await asyncio.open_connection(at.hostname, at.port)
        body = json.dumps({"host": host, "seen": seen, "seconds": wire.LONGEST_WAIT}).encode()
        head = (
            f"POST {wire.PREFIX}news HTTP/1.1\r\nHost: {at.hostname}\r\nAuthorization: Bearer {token}\r\n"
            f"{wire.VERSION_HEADER}: {wire.VERSION}\r\nContent-Length: {len(body)}\r\n\r\n"
        )
        writer.write(head.encode() + body)
        await writer.drain()
        return reader, writer

    async def answer(reader: asyncio.StreamReader) -> dict[str, int]:
        head = await reader.readuntil(b"\r\n\r\n")
        assert head.startswith(b"HTTP/1.1 200"), head
        length = next(line for line in head.lower().split(b"\r\n") if line.startswith(b"content-length"))
        told: dict[str, int] = json.loads(await reader.readexactly(int(length.split(b":")[1])))
        return told

    first, writer = await ask(*hosts[0], 0)
    seen = (await answer(first))["seen"]
    writer.close()
    asked = [await ask(host, token, seen) for host, token in hosts]
    waiting = asyncio.gather(*(answer(reader) for reader, _ in asked))
    await asyncio.sleep(1)  # the last of them is being looked at
    held = memory(pid, "Rss")
    begun = time.perf_counter()
    wakeup.wake_hosts(project)
    assert all(told["is_new"] for told in await waiting)
    heard = time.perf_counter() - begun
    for _, writer in asked:
        writer.close()
    return held, heard
