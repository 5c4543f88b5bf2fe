"""What a server refuses people's mirrors, and what a mirror refuses a server: each says why, and nothing has changed."""

from __future__ import annotations

import http.client
import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from orchestrator.domain.errors import LifecycleError, UsageError
from orchestrator.door import mirror_wire, wire
from orchestrator.door.http_connections import Connections
from orchestrator.mirror.asking import MirrorServer, NotLetIn
from orchestrator.mirror.folder import Folder
from orchestrator.mirror.following import Mirror
from orchestrator.mirror.known import Known, SessionState, Whose, alone
from orchestrator.mirror.session_sync import SessionSync
from orchestrator.mirror.told import Told
from orchestrator.store import artifacts, edit_conflicts, person_tokens
from tests import factories as make
from tests import invariants
from tests.desk_world import START, DeskWorld
from tests.door_server import Running, serving

BRIEF = "spec/product-brief.md"
FIRST, SECOND = b"# Brief\n\nThe first.\n", b"# Brief\n\nThe second.\n"


@dataclass
class Mirrored:
    running: Running
    world: DeskWorld
    token: str
    session: str
    root: Path

    def server(self, token: str | None = None) -> MirrorServer:
        return MirrorServer(Connections(self.running.url, token or self.token), 1.0)

    def edit(self, **given: Any) -> mirror_wire.Edit:
        values = {
            "session": self.session,
            "path": BRIEF,
            "base": 1,
            "base_sha256": artifacts.digest_of(FIRST),
            "body": b"# Brief\n\nMine.\n",
            **given,
        }
        return mirror_wire.Edit(**values)

    def send(self, **given: Any) -> mirror_wire.Taken:
        return self.server().ask("edit", self.edit(**given), mirror_wire.Taken)

    def add(self, path: str, body: bytes) -> None:
        """A version by an agent."""

        def unit(tx: Any) -> None:
            digest = artifacts.put(tx, body)
            artifacts.register(
                tx, self.session, path, digest, len(body), "spec", author="writer", task=None, run=None
            )
            from orchestrator.store import messages

            messages.event(tx, self.session, "made", path)

        self.world.store.write(unit, about=self.session)

    def once(self) -> Told:
        told = Told()
        with alone(self.root):
            mirror = Mirror(Connections(self.running.url, self.token), self.root, told, waits=False)
            mirror.begin()
            mirror.once()
        return told

    def post(self, name: str, body: bytes, headers: dict[str, str]) -> tuple[int, dict[str, Any]]:
        at = urlsplit(self.running.url)
        connection = http.client.HTTPConnection(str(at.hostname), at.port, timeout=60)
        connection.request("POST", f"/v1/{name}", body, headers)
        answer = connection.getresponse()
        found = answer.status, json.loads(answer.read())
        connection.close()
        return found

    def file(self, path: str = BRIEF) -> Path:
        return self.root / self.session / path


@pytest.fixture
def made(tmp_path: Path) -> Iterator[Mirrored]:
    clock = make.SetClock(START)
    store = make.make_store(tmp_path, clock=clock)
    with serving(store) as running:
        token = store.write(lambda tx: person_tokens.add(tx, "anna"))
        world = DeskWorld(store, clock, running.site.door.local)
        found = Mirrored(
            running, world, token, make.make_session(store, "Build a URL shortener"), tmp_path / "m"
        )
        found.add(BRIEF, FIRST)
        yield found
    invariants.check_store(store)
    store.close()


def headers(token: str | None, version: str | None = wire.VERSION) -> dict[str, str]:
    return {
        **({} if token is None else {"authorization": f"Bearer {token}"}),
        **({} if version is None else {wire.VERSION_HEADER: version}),
    }


@pytest.mark.parametrize(
    ("token", "version", "status"),
    [
        (None, wire.VERSION, 401),
        ("lcp_guessed", wire.VERSION, 401),
        ("host's", wire.VERSION, 401),
        ("right", None, 426),
        ("right", "1", 426),
    ],
)
def test_a_request_without_a_persons_token_or_version_is_refused(
    made: Mirrored, token: str | None, version: str | None, status: int
) -> None:
    given = {"right": made.token, "host's": made.running.token()}.get(token or "", token)
    before = made.world.rows()

    found, problem = made.post("mirror/edit", made.edit().written(), headers(given, version))

    assert found == status == problem["status"] and problem["fix"]
    assert made.world.rows() == before


def test_a_persons_token_is_nothing_to_the_hosts_operations(made: Mirrored) -> None:
    assert made.post("claim", b"{}", headers(made.token))[0] == 401
    assert made.post("mirror/claim", b"{}", headers(made.token))[0] == 422


def test_a_revoked_token_changes_nothing_more(made: Mirrored) -> None:
    holder = made.running.site.mirrors.holder(made.token)
    assert holder is not None
    made.once()
    made.file().write_text("Mine.\n")
    made.world.store.write(lambda tx: person_tokens.revoke(tx, "anna"))
    before = made.world.rows()

    with pytest.raises(NotLetIn, match="does not know the token"):
        made.once()
    for name, question in (
        ("edit", made.edit()),
        ("settle", mirror_wire.Settle(session="x", path="x", sha256="x")),
    ):
        with pytest.raises(LifecycleError, match="was revoked"):
            made.running.site.mirrors.answer(holder, name, question.written())

    assert made.world.rows() == before
    assert made.file().read_text() == "Mine.\n"


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"session": "TLS-of-another-project"}, "unknown session"),
        ({"path": "spec/../../lifecycle.db"}, "unknown document"),
        ({"path": "/etc/passwd"}, "unknown document"),
        ({"path": "team-session.json"}, "unknown document"),
        ({"path": BRIEF.upper()}, "unknown document"),
        ({"path": BRIEF + "\0"}, "cannot be read|this version cannot read|cannot read"),
        ({"base": 0}, "no such version"),
        ({"base": 2}, "no such version"),
        ({"base_sha256": "0" * 64}, "no such version"),
        ({"body": b"\x89PNG\r\n\x1a\n\xff"}, "is not taken in"),
        ({"body": b"a\0b"}, "is not taken in"),
        ({"body": b"a" * (mirror_wire.LARGEST_EDIT + 1)}, "is not taken in"),
    ],
)
def test_an_edit_that_is_none_is_refused(made: Mirrored, given: dict[str, Any], says: str) -> None:
    before = made.world.rows()

    with pytest.raises(LifecycleError, match=says):
        made.send(**given)

    assert made.world.rows() == before


def test_an_edit_of_a_gigabyte_is_refused_before_it_is_read(made: Mirrored) -> None:
    at = urlsplit(made.running.url)
    connection = http.client.HTTPConnection(str(at.hostname), at.port, timeout=60)
    connection.putrequest("POST", "/v1/mirror/edit")
    for name, value in {**headers(made.token), "content-length": str(1 << 30)}.items():
        connection.putheader(name, value)
    connection.endheaders()

    answer = connection.getresponse()

    assert answer.status == 413 and b"too large" in answer.read()
    connection.close()


def test_an_edit_that_is_sent_again_is_one_version(made: Mirrored) -> None:
    assert made.send() == mirror_wire.Taken(state="version", version=2)
    assert made.send() == mirror_wire.Taken(state="known", version=2)
    made.add(BRIEF, SECOND)
    assert made.send() == mirror_wire.Taken(state="known", version=2), "also under a newer one"


def test_an_edit_of_an_older_version_is_noted_once(made: Mirrored) -> None:
    made.add(BRIEF, SECOND)

    taken = [made.send(), made.send()]

    assert taken == [mirror_wire.Taken(state="conflict", version=2)] * 2
    found = made.world.store.read(lambda tx: edit_conflicts.open_in(tx, made.session))
    assert [(each.path, each.who, each.base) for each in found] == [(BRIEF, "anna", 1)]
    settle = mirror_wire.Settle(session=made.session, path=BRIEF, sha256=found[0].digest)
    assert made.server().ask("settle", settle, mirror_wire.Settled).is_new
    assert not made.server().ask("settle", settle, mirror_wire.Settled).is_new
    assert made.world.store.read(edit_conflicts.in_all) == []


# what a mirror refuses


@pytest.mark.parametrize(
    "path",
    ["../outside.md", "/tmp/outside.md", "spec/../../outside.md", "C:/x.md", "a\\b.md", "con.md", "x/./y"],
)
def test_a_path_that_leads_elsewhere_is_skipped_and_told(made: Mirrored, path: str) -> None:
    made.add(path, b"hostile")

    told = made.once()

    assert [entry["file"] for entry in told.skipped.values()] == [f"{made.session}/{path}"]
    assert told.exit_code == 1
    assert {each.name for each in made.root.iterdir()} == {".mirror", made.session}
    assert made.file().read_bytes() == FIRST
    assert not any(b"hostile" in each.read_bytes() for each in made.root.parent.rglob("outside*"))


def test_case_twins_are_not_written_over_each_other(made: Mirrored) -> None:
    made.add(BRIEF.replace("product", "Product"), b"A twin.\n")

    told = made.once()

    (entry,) = told.skipped.values()
    assert "upper and lower case only" in str(entry["why"])
    assert len(list(made.file().parent.iterdir())) == 1


def test_a_link_that_leads_out_is_not_followed(made: Mirrored, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    made.once()
    made.file().unlink()
    made.file().parent.rmdir()
    made.file().parent.symlink_to(outside)
    made.add(BRIEF, SECOND)

    told = made.once()

    assert list(outside.iterdir()) == [] and told.exit_code == 1
    made.file().parent.unlink()
    made.once()
    assert made.file().read_bytes() == SECOND


@pytest.mark.parametrize(
    ("body", "says"), [(b"\x89PNG\xff\n", "no text"), (b"a\0b", "no text"), (None, "more than 8 MiB")]
)
def test_what_is_no_document_is_not_sent_and_not_lost(made: Mirrored, body: bytes | None, says: str) -> None:
    made.once()
    if body is None:
        os.truncate(made.file(), 1 << 30)  # a GiB that takes no room
    else:
        made.file().write_bytes(body)
    before = made.world.rows()

    told = made.once()

    assert [says in str(entry["why"]) for entry in told.skipped.values()] == [True] and told.exit_code == 1
    assert made.world.rows() == before
    size = made.file().stat().st_size
    made.add(BRIEF, SECOND)
    assert made.once().exit_code == 3
    assert made.file().read_bytes() == SECOND
    (kept,) = made.file().parent.glob("*.conflict-*")
    assert kept.stat().st_size == size, "it was moved, whatever it is"


def test_files_that_are_no_documents_are_left_alone_and_named(made: Mirrored) -> None:
    made.once()
    odd = os.fsencode(made.file().parent) + b"/caf\xe9.md"
    Path(os.fsdecode(odd)).write_bytes(b"not UTF-8")
    made.file().with_name("Product-Brief.md").write_text("a twin of mine")
    before = made.world.rows()

    told = made.once()

    whys = sorted(str(entry["why"]) for entry in told.left.values())
    assert whys == ["its name is not UTF-8 text", "no document of the session has this name"]
    assert told.exit_code == 0 and made.world.rows() == before
    json.dumps(told.as_json()).encode()


def test_a_folder_of_another_project_or_with_other_files_is_refused(made: Mirrored) -> None:
    made.once()
    (made.root / ".mirror" / "project.json").write_bytes(Whose(identity="other", project="theirs").written())
    with pytest.raises(UsageError, match="mirrors another project"):
        made.once()
    made.root = made.root.with_name("mine")
    made.root.mkdir()
    (made.root / "letter.txt").write_text("mine")
    with pytest.raises(UsageError, match="is not empty"):
        made.once()


def test_a_second_mirror_of_a_folder_is_refused(made: Mirrored) -> None:
    with alone(made.root), pytest.raises(LifecycleError, match="keeps this folder already"):
        made.once()


def test_without_what_it_knew_a_mirror_overwrites_no_text(made: Mirrored) -> None:
    made.once()
    (made.root / ".mirror" / "sessions" / f"{made.session}.json").write_text("{torn")
    made.file().write_text("Mine, and nobody knows of it.\n")

    assert made.once().exit_code == 3

    assert made.file().read_bytes() == FIRST
    (kept,) = made.file().parent.glob("*.conflict-*")
    assert kept.read_text() == "Mine, and nobody knows of it.\n"


def test_a_deleted_session_goes_but_not_a_persons_text(made: Mirrored) -> None:
    made.once()
    made.file().write_text("Mine.\n")
    known = Known(made.root)
    sync = SessionSync(made.server(), Folder(made.root), known, told := Told(), made.session, waits=False)

    sync.leave()

    left = [each for each in (made.root / made.session).rglob("*") if each.is_file()]
    assert [each.read_text() for each in left] == ["Mine.\n"]
    assert "was deleted on the server" in str(next(iter(told.skipped.values()))["why"])
    assert known.load(made.session) == SessionState()


def test_a_server_that_sends_other_bytes_than_it_names_is_not_believed(
    made: Mirrored, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = MirrorServer.ask

    def forged(self: MirrorServer, name: str, *given: Any, **named: Any) -> Any:
        answer = real(self, name, *given, **named)
        return mirror_wire.Content(body=b"forged") if name == "content" else answer

    monkeypatch.setattr(MirrorServer, "ask", forged)

    told = made.once()

    assert "other bytes than it named" in str(next(iter(told.skipped.values()))["why"])
    assert not made.file().exists()
