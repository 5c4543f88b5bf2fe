"""What views say of hosts on other machines."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from orchestrator.cli.follow import without_host
from orchestrator.commands import hosts
from orchestrator.domain.elsewhere import ROLES_ELSEWHERE
from orchestrator.domain.errors import LifecycleError, NotAllowedNow, UnknownName, UsageError
from orchestrator.door.http_desk import HttpDesk
from orchestrator.door.wire import DoorRefused
from orchestrator.server.door import NOTED_A_MINUTE
from orchestrator.store import host_tokens, leases, servers, sessions, tasks
from orchestrator.store.run_ids import new_run_id
from orchestrator.store.store import Store, Tx
from orchestrator.views import lookup, stalls
from orchestrator.views.check import overview
from orchestrator.views.daemon import daemon_view
from orchestrator.views.why import why
from tests import factories as make
from tests.door_server import serving

ROLES = ("analyst", "architect", "executor", "reviewer", "writer")


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    made = make.make_store(tmp_path)
    yield made
    made.close()


def joined(store: Store, incarnation: str = "h-far", name: str = "far-1", seconds: float = 30.0) -> None:
    """A host that has joined by a token of that name."""

    def join(tx: Tx) -> None:
        host_tokens.add(tx, name, ROLES_ELSEWHERE, 2)
        leases.register_host(
            tx,
            incarnation,
            pid=0,
            started=0,
            roles=ROLES_ELSEWHERE,
            slots=2,
            lease_seconds=seconds,
            token=name,
        )

    store.write(join)


def offered(store: Store, role: str, prefix: str) -> str:
    """A session whose offered task has this role and prefix."""
    session = make.make_session(store)
    make.one_beat(store, session, make.lead(store))
    make.execute(store, f"UPDATE tasks SET role = '{role}', prefix = '{prefix}' WHERE offered_at IS NOT NULL")
    return session


def said(store: Store, session: str) -> str:
    def view(tx: Tx) -> dict[str, Any]:
        row = sessions.get(tx, session)
        task = next(each for each in tasks.all_tasks(tx, session) if each.offered_at is not None)
        assert row is not None
        return why(tx, row, task)

    return "; ".join(store.read(view)["because"])


@pytest.mark.parametrize(("role", "prefix"), [("architect", "ARCH"), ("fe-developer", "DEV-FE")])
def test_why_says_that_a_task_needs_a_host_of_the_projects_machine(
    store: Store, role: str, prefix: str
) -> None:
    joined(store)

    words = said(store, offered(store, role, prefix))

    assert "no worker host of this machine is up; joined from elsewhere: far-1" in words


@pytest.mark.parametrize(
    ("role", "prefix"),
    [("writer", "DRAFT"), ("reviewer", "QUALITY"), ("reviewer", "REVIEW"), ("executor", "IMPL")],
)
def test_what_a_joined_host_can_do_is_about_to_start(store: Store, role: str, prefix: str) -> None:
    joined(store)

    assert "2 of 2 slots are free" in said(store, offered(store, role, prefix))


def test_a_joined_host_is_named_without_a_process(store: Store) -> None:
    joined(store)

    (host,) = store.read(daemon_view)["hosts"]
    (token,) = store.read(hosts.hosts_view)

    assert (host["name"], host["pid"]) == ("far-1", None)
    assert [each["host"] for each in token["joined"]] == ["h-far"]
    assert store.read(leases.hosts_here) == []


def test_a_revoked_host_has_left(store: Store) -> None:
    joined(store)

    assert hosts.revoke(store, "far-1")
    assert not hosts.revoke(store, "far-1")

    (token,) = store.read(hosts.hosts_view)
    assert token["revoked_at"] is not None and token["joined"] == []
    assert store.read(leases.live_hosts) == []


@pytest.mark.parametrize(
    ("given", "kind", "says"),
    [
        (("far-1", [], 4), NotAllowedNow, "was given to a host before"),
        (("", [], 4), UsageError, "cannot be the name of a host"),
        (("-x", [], 4), UsageError, "cannot be the name of a host"),
        (("a b", [], 4), UsageError, "cannot be the name of a host"),
        (("x" * 64, [], 4), UsageError, "cannot be the name of a host"),
        (("build", [], 0), UsageError, "cannot have 0 slots"),
        (("build", [], 257), UsageError, "cannot have 257 slots"),
        (("build", ["wrter"], 4), UnknownName, "unknown role 'wrter'"),
        (("build", ["writer", "architect"], 4), UsageError, "cannot be architect"),
    ],
)
def test_a_token_that_cannot_be_is_refused(
    store: Store, given: tuple[str, list[str], int], kind: type[LifecycleError], says: str
) -> None:
    joined(store)
    before = store.read(host_tokens.all_tokens)
    name, roles, slots = given

    with pytest.raises(kind, match=says) as caught:
        hosts.add(store, name, roles, slots, ROLES)

    assert caught.value.fix and caught.value.exit_code == 2
    assert store.read(host_tokens.all_tokens) == before


def test_of_a_token_only_its_digest_is_stored(store: Store) -> None:
    token = hosts.add(store, "build", ["writer"], 4, ROLES)

    (row,) = store.read(host_tokens.all_tokens)

    assert row.roles == ["writer"] and row.sha256 == host_tokens.digest_of(token)
    assert token.encode() not in store.path.read_bytes()
    assert store.read(lambda tx: host_tokens.token_of(tx, token)) == row
    assert store.read(lambda tx: host_tokens.token_of(tx, token + "x")) is None


def test_why_says_since_when_no_host_of_the_role_is_up(store: Store) -> None:
    session = offered(store, "writer", "DRAFT")
    assert f"no host of role writer in project {store.workflow.parent.name} has been up" in said(
        store, session
    )
    joined(store)

    store.write(lambda tx: leases.end_host(tx, "h-far"))

    words = said(store, session)
    assert f"no host of role writer in project {store.workflow.parent.name} is up since 20" in words


def test_a_server_is_up_for_its_lease_and_until_it_ends(tmp_path: Path) -> None:
    clock = make.SetClock(1_000_000_000)
    store = make.make_store(tmp_path, clock=clock)

    def up() -> list[str]:
        return [row.holder for row in store.read(servers.up)]

    store.write(lambda tx: servers.note(tx, "a", "https://a:1", 30))
    store.write(lambda tx: servers.note(tx, "b", "https://b:1", 30))
    clock.micros += 20_000_000
    store.write(lambda tx: servers.note(tx, "a", "https://a:1", 30))
    both = up()
    clock.micros += 10_000_000
    renewed = up()
    store.write(lambda tx: servers.end(tx, "a"))

    assert (sorted(both), renewed, up()) == (["https://a:1", "https://b:1"], ["https://a:1"], [])
    clock.micros += servers.KEPT + 1
    store.write(lambda tx: servers.note(tx, "c", "https://c:1", 30))
    assert up() == ["https://c:1"] and store.read(leases.leader) is None
    store.close()


def test_the_audit_tells_who_let_a_host_in_what_it_was_refused_and_who_turned_it_out(
    store: Store, tmp_path: Path
) -> None:
    token = hosts.add(store, "far-1", ["writer"], 2, ROLES, "alice (cli)")
    with serving(store) as running:
        desk = HttpDesk(running.connections(token), tmp_path).as_desk()
        for _ in range(2):  # asked again, it has joined once
            desk.register("h-1", roles=("writer",), slots=2, lease_seconds=20.0)
        for _ in range(NOTED_A_MINUTE + 3):
            with pytest.raises(DoorRefused):
                desk.claim("h-1", ("analyst",), new_run_id())
    hosts.revoke(store, "far-1", "bob (cli)")
    hosts.revoke(store, "far-1", "bob (cli)")

    found = store.read(lambda tx: hosts.audit_view(tx, 100))

    told = [(row["what"], row["name"], row["who"]) for row in found]
    assert told[:2] == [("added", "far-1", "alice (cli)"), ("joined", "far-1", "h-1")]
    assert told[2:-1] == [("refused", "far-1", "far-1")] * NOTED_A_MINUTE
    assert told[-1] == ("revoked", "far-1", "bob (cli)")
    assert "claim: the token 'far-1' is not for analyst" in found[2]["detail"]
    assert token not in str(found) and store.read(lambda tx: hosts.audit_view(tx, 1)) == found[-1:]


def following(store: Store, session: str) -> dict[str, Any]:
    found: dict[str, Any] = store.read(lambda tx: overview(tx, lookup.session(tx, session)))
    return dict(found["next"])


def test_check_names_the_commands_for_a_host_while_none_is_up(store: Store) -> None:
    session = offered(store, "writer", "DRAFT")
    make.let_time_pass(store, stalls.HOST_SECONDS + 1)
    hostless = following(store, session)
    joined(store)

    hosted = following(store, session)

    assert "`lifecycle worker`" in hostless["says"] and "`lifecycle host join`" in hostless["says"]
    assert hostless["commands"][0] == "lifecycle worker"
    assert "lifecycle worker" not in str(hosted)


@pytest.mark.parametrize(("own_host", "why"), [(False, "own_host is off"), (True, "Error: no disk")])
def test_follower_says_why_no_host_works(tmp_path: Path, own_host: bool, why: str) -> None:
    output = tmp_path / "workers.out"
    output.write_text("starting\nError: no disk\n")

    found = without_host(own_host, output)

    assert why in (found.why or "")
    assert ("`lifecycle host join`" in (found.fix or "")) is not own_host
