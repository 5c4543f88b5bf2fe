"""What a command over somebody else's code gets to know, and what `doctor` says of the sandbox."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from orchestrator.project import Project
from orchestrator.views.doctor import examine
from workers.evidence import sandbox


def test_the_environment_has_no_secret_and_nothing_of_git(tmp_path: Path) -> None:
    (tmp_path / "home/.cargo").mkdir(parents=True)
    given = {"PATH": "/bin", "HOME": str(tmp_path / "home"), "LC_ALL": "C", "TZ": "UTC", "LANG": "C"}
    secret = {
        "GIT_DIR": "/x",
        "MY_API_KEY": "k",
        "AWS_PROFILE": "p",
        "SSH_AUTH_SOCK": "/s",
        "PYTHONPATH": "/x",
    }

    found = sandbox.test_environment({**given, **secret}, tmp_path, tmp_path / "tmp")

    assert not secret.keys() & found.keys()
    assert {**given, "HOME": str(tmp_path / "tmp/home")}.items() <= found.items()
    assert found["CARGO_HOME"] == str(tmp_path / "home/.cargo")
    assert "RUSTUP_HOME" not in found  # it is not there
    assert Path(found["HOME"]).is_dir() and Path(found["TMPDIR"]).is_dir()


def test_places_that_hold_the_home_folder_are_not_hidden() -> None:
    environ = {"HOME": "/home/me", "CODEX_HOME": "/home/me", "CLAUDE_CONFIG_DIR": "/srv/claude"}

    found = sandbox.hidden_places(environ, Path("/home/me/project"))

    assert Path("/home/me") not in found
    assert {Path("/home/me/.ssh"), Path("/srv/claude"), Path("/home/me/project/.workflow")} <= set(found)


def test_programs_below_tmp_stay_to_be_seen_and_nothing_else_of_it() -> None:
    path = os.pathsep.join(["/tmp/env/bin", "/usr/bin", "/tmp/tools", "/tmp/bin", "/tmp", "tmp/here", ""])

    found = sandbox.tools_below_tmp({"PATH": path})

    ours = [Path(sandbox.__file__).resolve().parent] if sandbox.__file__.startswith("/tmp/") else []
    assert found == [*ours, Path("/tmp/env"), Path("/tmp/tools"), Path("/tmp/bin")]


def test_the_scripts_of_an_installation_below_tmp_can_be_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sandbox, "__file__", "/tmp/env/lib/workers/evidence/sandbox.py")

    assert sandbox.tools_below_tmp({}) == [Path("/tmp/env/lib/workers/evidence")]


@pytest.mark.parametrize(
    ("why_not", "settings", "state", "words"),
    [
        (None, "", "ok", "have no network"),
        ("no namespaces", "", "note", "(no namespaces): they are not run"),
        ("no namespaces", "[work]\nunconfined = true\n", "note", "run without a sandbox (no namespaces)"),
    ],
)
def test_doctor_says_whether_there_is_one(
    project: Path, why_not: str | None, settings: str, state: str, words: str
) -> None:
    (project / ".workflow/config.toml").write_text(settings)

    asked = {"agents": [], "not_read_only": None, "no_sandbox": why_not, "no_browser": None}
    found = examine(Project(project), lambda _: asked)

    (check,) = (each for each in found if each.name == "sandbox")
    assert check.state == state and words in check.says
    assert ("work.unconfined" in check.fix) == (why_not is not None and not settings)
