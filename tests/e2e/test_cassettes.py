"""The real command: record with an agent, kill everything in the middle of the replay, and get the same documents."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from tests.e2e.support import Lifecycle, agent_toml, lifecycle

REQUEST = "Build a URL shortener. It must expire links after 30 days."
STAMP = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:[.\d]*)(?:Z|\+00:00)")

# Says something else each time it is asked, and now and then nothing.
MOODY = """
import json, os, sys, uuid
sys.stdin.read()
if os.environ["LIFECYCLE_KIND"] != "critique":
    sys.exit("not today")
said = {"rating": 4, "strengths": [f"as {uuid.uuid4().hex} said"], "suggestions": ["say more"]}
print(json.dumps(said))
"""


def texts(life: Lifecycle) -> dict[str, str]:
    """Every file of the specification and the discussions, stamps and the session's id alike."""
    directory = life.directory()
    files = [path for part in ("spec", "discussions") for path in sorted((directory / part).rglob("*.*"))]
    return {
        path.relative_to(directory).as_posix(): STAMP.sub(
            "<stamp>", path.read_text().replace(life.session(), "<session>")
        )
        for path in files
        if path.is_file()
    }


@pytest.mark.long
def test_a_replay_that_is_killed_goes_on_to_the_same_documents(tmp_path: Path) -> None:
    (tmp_path / "moody.py").write_text(MOODY)
    extra = agent_toml("moody", [sys.executable, "-I", "-S", str(tmp_path / "moody.py")])
    tape = str(tmp_path / "tape")
    choice = ("--perspectives", "product")
    with lifecycle(tmp_path / "a", extra=extra) as life:
        gave = life.run("start", REQUEST, *choice, "--record", tape)
        assert gave.code == 0, gave.err
        recorded = texts(life)
    (tmp_path / "moody.py").unlink()

    with lifecycle(tmp_path / "b") as life:
        planned = life.run("start", REQUEST, *choice, "--replay", tape, "--plan")
        begun = life.run("start", REQUEST, *choice, "--replay", tape, "--detach")
        life.wait(lambda: life.rows("SELECT 1 FROM critiques"), "a perspective was heard")
        life.kill_everything()
        agents = life.run("agents")
        gave = life.run("resume")

        assert "none: the session replays" in planned.out and begun.code == 0
        assert f"{life.session()} replays {tape}" in agents.out
        assert gave.code == 0, gave.err
        assert len(recorded) > 15 and any("said" in text for text in recorded.values())
        assert texts(life) == recorded
        assert {row[0] for row in life.rows("SELECT DISTINCT agent FROM agent_calls")} == {"moody", "builtin"}


def test_a_cassette_that_cannot_be_used_is_refused_before_a_session_is_made(tmp_path: Path) -> None:
    (tmp_path / "newer").mkdir()
    (tmp_path / "newer" / "cassette.json").write_text('{"format": "team-lifecycle cassette", "version": 9}')
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "mine.txt").touch()
    with lifecycle(tmp_path / "p") as life:
        for options, why in {
            ("--replay", str(tmp_path / "nowhere")): "no such folder",
            ("--replay", str(tmp_path / "full")): "no cassette.json",
            ("--replay", str(tmp_path / "newer")): "newer",
            ("--record", str(tmp_path / "full")): "not empty",
            ("--record", "x", "--replay", "y"): "exclude each other",
        }.items():
            gave = life.run("start", REQUEST, *options)

            assert gave.code == 2, (options, gave.err)
            assert why in gave.err and "Traceback" not in gave.err
        assert not life.database.exists()
        assert sorted(path.name for path in (tmp_path / "full").iterdir()) == ["mine.txt"]
