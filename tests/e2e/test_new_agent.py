"""A new agent program is one new file and one entry: then the whole product knows it."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import sysconfig
import venv
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.support import ROOT, Gave, Lifecycle

PROGRAM = Path(__file__).parent / "agents" / "robo_program.py"
ENTRY = '    AgentKind("robo", env=("ROBO_API_KEY",), homes=("ROBO_HOME",), reports="cost"),\n'
REQUEST = "The catalogue must show where an object lies"


class Copied(Lifecycle):
    """A project whose command is that of a copy of the tree."""

    def __init__(self, folder: Path, tree: Path, python: Path, programs: Path) -> None:
        self.python = python
        super().__init__(folder)
        self.home = folder / ".robo"
        self.home.mkdir()
        self.environment |= {
            "PATH": f"{programs}:{self.environment['PATH']}",
            "PYTHONPATH": str(tree),
            "ROBO_HOME": str(self.home),
            "ROBO_API_KEY": "robo-key-0123456789",
            "UNRELATED": "not for agents",
        }

    def command(self, *arguments: str) -> list[str]:
        return [str(self.python), "-P", "-m", "orchestrator", *arguments]

    def run(self, *arguments: str, **options: Any) -> Gave:
        return super().run(
            *arguments, **{"stdin": subprocess.DEVNULL, **options}
        )  # never the warm one: it is the tree's


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the product with the new agent in it."""
    made = tmp_path_factory.mktemp("tree")
    for name in ("orchestrator", "workers", "config", "migrations"):
        shutil.copytree(ROOT / name, made / name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "tests" / "data" / "new_agent" / "robo.py", made / "workers" / "agents" / "programs")
    kinds = made / "orchestrator" / "domain" / "agent_kinds.py"
    before = kinds.read_text()
    kinds.write_text(before.replace(")\nKINDS = ", f"{ENTRY})\nKINDS = "))
    assert kinds.read_text() != before
    return made


@pytest.fixture
def project(tmp_path: Path, tree: Path, confinable: None) -> Iterator[Copied]:
    venv.create(tmp_path / "venv", with_pip=False, symlinks=True)
    (site,) = (tmp_path / "venv").glob("lib/python*/site-packages")
    (site / "tree.pth").write_text(f"{tree}\n{sysconfig.get_path('purelib')}\n")
    (tmp_path / "bin").mkdir()
    robo = tmp_path / "bin" / "robo"
    robo.write_text(f'#!/bin/sh\nexec {sys.executable} -S {PROGRAM} "$@"\n')
    robo.chmod(0o755)
    made = Copied(tmp_path / "p", tree, tmp_path / "venv" / "bin" / "python", robo.parent)
    try:
        yield made
    finally:
        made.close()


def test_a_session_runs_with_an_agent_of_one_file_and_one_entry(project: Copied) -> None:
    plan = project.run("start", "--plan", "--json", REQUEST)
    done = project.run("start", REQUEST)

    assert plan.code == 0, plan.err
    assert plan.json()["agents"]["writer"] == ["robo", "builtin"]
    assert done.code == 0, done.err + project.logs()[-4_000:]
    asked = project.rows("SELECT DISTINCT agent, tokens_in, cost_source FROM agent_calls WHERE metered = 1")
    assert asked == [("robo", 1000, "reported")]
    assert "robo" in project.run("cost").out
    seen = [json.loads(file.read_text()) for file in project.home.glob("*.json")]
    assert len(seen) >= 6  # it wrote into its home, which lies in the project, and nowhere else there
    assert {each["wrote_project"] for each in seen} == {False}
    assert not (project.folder / "stolen").exists()
    for each in seen:
        assert {"ROBO_API_KEY", "ROBO_HOME"} <= set(each["env"]) and "UNRELATED" not in each["env"]


@pytest.mark.long
def test_every_command_knows_the_new_agent(project: Copied) -> None:
    agents = project.run("agents", "--json").json()
    doctor = project.run("doctor", "--json").json()
    probed = project.run("agents", "--probe", "--json").json()
    checked = project.run("config", "check")

    (robo,) = [each for each in agents["agents"] if each["name"] == "robo"]
    assert (robo["usable"], robo["version"], robo["account"]) == (True, "robo 7.1", "robo")
    assert agents["roles"]["analyst"] == ["robo", "builtin"]
    assert agents["perspectives"]["risk"] == ["robo", "builtin"]
    assert "robo" in next(each["says"] for each in doctor if each["check"] == "agents")
    (answered,) = [each["probe"] for each in probed["agents"] if each["name"] == "robo"]
    assert answered["answered"] and answered["usd"] == 0.002
    assert checked.code == 0, checked.out


def test_its_settings_are_checked_like_those_of_every_other(project: Copied) -> None:
    project.configure({"agents_off": ["robot"]}, '[agents.robo]\nmodel = "robo-2"\neffort = "high"\n')

    refused = project.run("config", "check")

    assert refused.code == 1
    assert "did you mean 'robo'?" in refused.out + refused.err
    assert 'effort: does nothing for an agent of kind "robo"' in refused.out + refused.err
