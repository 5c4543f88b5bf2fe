"""The bundle for bug reports: nothing of its owner in it, and still a session that can be taken in and replayed."""

from __future__ import annotations

import hashlib
import json
import stat
import zipfile
from pathlib import Path
from typing import Any

import pytest

from orchestrator.commands import bundle, portable
from orchestrator.domain.errors import UsageError
from orchestrator.store import artifacts, cassettes, sessions
from tests import factories
from tests.integration.test_cassettes import documents, play, record, replay
from tests.runtime_harness import RuntimeHarness

KEY = "canary-key/0123456789"
REQUEST = "Build a URL shortener. It must read /home/alicia/links.csv. It must expire links after 30 days."


def cleaner(project: Path) -> bundle.Cleaner:
    return bundle.Cleaner.of(
        {"MY_API_KEY": KEY}, project=project, homes={"/home/alicia"}, users={"alicia", "root"}
    )


def made(harness: RuntimeHarness, target: Path, **given: Any) -> dict[str, Any]:
    logs = harness.store.workflow / "logs"
    logs.mkdir(exist_ok=True)
    early = "".join(f'{{"n": {n}, "at": "/home/alicia/x"}}\n' for n in range(20_000))
    (logs / "workers.jsonl").write_text(early + f'{{"error": "sk-canary0123456789abcdef {KEY}"}}\n')
    (logs / "link").unlink(missing_ok=True)
    (logs / "link").symlink_to("/etc/passwd")
    settings = {"agents": {"mine": {"command": ["x", f"--key={KEY}"]}}}
    return bundle.export(
        harness.store,
        harness.session,
        target,
        cleaner(harness.project),
        logs=logs,
        settings=settings,
        doctor=[{"check": "project", "says": "/home/alicia/work"}],
        program="1.0",
        **given,
    )


@pytest.fixture(scope="module")
def harness(tmp_path_factory: pytest.TempPathFactory) -> RuntimeHarness:
    """A whole session that was recorded."""
    return play(record(tmp_path_factory.mktemp("bundle"), request=REQUEST))


def members(target: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(target) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def test_nothing_of_its_owner_is_in_it(harness: RuntimeHarness, tmp_path: Path) -> None:
    target = tmp_path / "b.zip"

    done = made(harness, target)

    held = members(target)
    assert stat.S_IMODE(target.stat().st_mode) == 0o600
    for word in (KEY, "alicia", "sk-canary", str(harness.project)):
        found = [name for name, body in held.items() if word in f"{name} {body.decode()}".lower()]
        assert found == [], word
    assert {
        "request.md",
        "settings.json",
        "doctor.json",
        "logs/workers.jsonl",
        "cassette/cassette.json",
    } < set(held)
    assert "logs/link" not in held
    assert len(held["logs/workers.jsonl"]) <= bundle.LOG_BYTES
    assert all(json.loads(line) for line in held["logs/workers.jsonl"].splitlines())
    assert held["request.md"].decode().startswith("Build a URL shortener. It must read /home/usr/links.csv.")
    manifest = json.loads(held["manifest.json"])["bundle"]
    assert manifest["masked"] == done["masked"]
    assert {"known", "token", "home folder", "user name"} <= set(done["masked"])
    assert {name: hashlib.sha256(held[name]).hexdigest() for name in manifest["files"]} == manifest["files"]


def test_it_is_taken_in_as_a_session(harness: RuntimeHarness, tmp_path: Path) -> None:
    made(harness, tmp_path / "b.zip")
    store = factories.make_store(tmp_path / "there")

    done = portable.take_in(store, portable.read(tmp_path / "b.zip"), tmp_path / "there", who="me")

    row = store.read(lambda tx: sessions.get(tx, done["session"]))
    assert row is not None and "cassette" not in row.options
    newest = store.read(lambda tx: artifacts.newest(tx, done["session"]))
    texts = [store.read(lambda tx, f=found: artifacts.body(tx, f.sha256)) for found in newest]  # type: ignore[misc]
    assert len(texts) > 10 and [len(text) for text in texts] == [found.size for found in newest]


def test_its_cassette_is_replayed_from_its_request(harness: RuntimeHarness, tmp_path: Path) -> None:
    made(harness, tmp_path / "b.zip")
    with zipfile.ZipFile(tmp_path / "b.zip") as archive:
        archive.extractall(tmp_path / "out")
    tape = tmp_path / "out" / "cassette"
    cassettes.check(tape)

    again = play(replay(tmp_path / "b", tape, request=(tmp_path / "out" / "request.md").read_text()))

    assert again.state().pause_reason != "agent_unavailable", again.state().pause_detail
    assert set(documents(again)) == {path.replace("alicia", bundle.NOBODY) for path in documents(harness)}
    assert "/home/usr/links.csv" in again.text("spec/discovery-context.json")


@pytest.mark.parametrize("secret", ["sk-canary0123456789abcdef", KEY])
def test_a_session_whose_request_holds_a_secret_is_replayed_from_its_bundle(
    tmp_path: Path, secret: str
) -> None:
    said = (
        f"Build a URL shortener. It must call the service with {secret}. It must expire links after 30 days."
    )
    first = record(tmp_path / "a", request=said, discuss="inline")
    first.runtime.environ = {"MY_API_KEY": KEY}
    play(first)
    made(first, tmp_path / "b.zip")
    with zipfile.ZipFile(tmp_path / "b.zip") as archive:
        archive.extractall(tmp_path / "out")
    request = (tmp_path / "out" / "request.md").read_text()
    assert "with [masked]." in request

    again = play(replay(tmp_path / "b", tmp_path / "out" / "cassette", request=request, discuss="inline"))

    assert first.state().status == again.state().status == "completed", again.state().pause_detail
    assert documents(again) == documents(first)


def test_a_secret_that_only_the_recording_machine_knew_is_a_miss_that_says_so(tmp_path: Path) -> None:
    first = record(tmp_path / "a", request=f"Build a URL shortener that calls with {KEY}.")
    first.runtime.environ = {"MY_API_KEY": KEY}
    first.run()

    again = replay(
        tmp_path / "b", tmp_path / "a" / "tape", request=f"Build a URL shortener that calls with {KEY}."
    )
    again.run()

    assert "set the variable that holds it" in again.state().pause_detail["error"]


def test_a_file_that_is_there_is_replaced_only_when_forced(harness: RuntimeHarness, tmp_path: Path) -> None:
    target = tmp_path / "b.zip"
    target.write_text("mine")

    with pytest.raises(UsageError, match="cannot write"):
        made(harness, target)
    assert target.read_text() == "mine"
    made(harness, target, force=True)

    assert zipfile.is_zipfile(target)
    assert [path.name for path in tmp_path.iterdir()] == ["b.zip"]


def test_a_cassette_that_is_gone_is_said_and_the_rest_is_there(tmp_path: Path) -> None:
    harness = record(tmp_path)
    harness.run()
    (tmp_path / "tape").rename(tmp_path / "moved")

    done = made(harness, tmp_path / "b.zip")

    assert done["cassette"] is False
    assert b"is not a cassette" in members(tmp_path / "b.zip")["cassette.fault"]
