"""Modes in which agents answer and change nothing, by real clients, the stand-in thinking for them: each to its end."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.clients.support import CLIENTS, MISSING, environment, server
from tests.clients.test_sessions import DOCUMENTS, configure
from tests.e2e.support import Lifecycle, lifecycle
from tests.e2e.test_analyze import FILES, QUESTION, assert_places_exist
from tests.git_world import as_left, git, repository, write

pytestmark = [
    pytest.mark.clients,
    pytest.mark.timeout(600),
    pytest.mark.skipif(bool(MISSING), reason=f"not installed: {MISSING}; run `make clients`"),
]
SHELL = {"path": "parcels/depot.py", "line": 16, "quote": "return subprocess.run(f'ls {folder}', shell=True)"}
NOWHERE = {"path": "parcels/nowhere.py", "line": 1, "quote": "import nothing"}
SHOWN = {"text": "A folder's name is run by a shell.", "answers": True, "evidence": [SHELL]}
INVENTED = {"text": "The client invented this.", "evidence": [NOWHERE]}
ADVICE = [{"action": "Give the name as an argument.", "rationale": "A shell reads it.", "priority": "high"}]
ANSWERS: dict[str, dict[str, Any]] = {  # words of the prompt -> what it is answered with
    "Your task: ANALYZE-": {"key_insights": [SHOWN, INVENTED], "recommendations": ADVICE},
    '"new_insights"': {
        "confirmed": [SHOWN],
        "answers": [{"question": "Who?", "answer": "The depot.", "evidence": [SHELL]}],
    },
    "Your task: SYNTH-": {
        "summary": "A shell runs names.",
        "key_conclusions": [SHOWN, INVENTED],
        "recommendations": ADVICE,
    },
    "Your task: ARCH-": {
        "answer": "Keep them apart.",
        "concerns": [
            {
                "severity": "high",
                "text": "A shell is in the way.",
                "evidence": [SHELL],
                "options": ["no shell"],
            }
        ],
    },
    "Your task: REVIEW-": {
        "findings": [
            {
                "dimension": "architecture",
                "severity": "medium",
                "path": "parcels/parcel.py",
                "line": 2,
                "quote": "lost = None",
                "text": "The client says that None is no answer.",
            }
        ]
    },
}
RULES = [
    *({"match": words, "steps": [{"json": told}]} for words, told in ANSWERS.items()),
    {"match": "read one artifact critically", "steps": [{"json": DOCUMENTS["critique"]}]},
]
ROLES = ("explorer", "synthesizer", "architect", "reviewer")
VIEWS = ("feasibility", "clarity")


@contextmanager
def asking(
    tmp_path: Path, name: str, change: str | None = None
) -> Iterator[tuple[Lifecycle, dict[str, str]]]:
    """A project whose roles are all this client's, and the environment of its commands; nothing of it may change.

    `change`: what the parcel is changed to, as a commit of the branch `work`.
    """
    with server(RULES) as models, lifecycle(repository(tmp_path / "p", FILES)) as project:
        configure(project, models.url, (name,), everywhere=False)
        named = json.dumps([name])
        tables = {"roles": ROLES, "perspectives": VIEWS}
        text = "".join(
            f"[{table}]\n" + "".join(f"{each} = {named}\n" for each in keys) for table, keys in tables.items()
        )
        file = project.folder / ".workflow" / "config.toml"
        file.write_text(f"{file.read_text()}\n{text}")
        if change is not None:
            git(project.folder, "checkout", "-q", "-b", "work")
            write(project.folder, {"parcels/parcel.py": change})
            git(project.folder, "commit", "-q", "-a", "-m", "Know nothing")
        before = as_left(project.folder)

        yield project, environment(tmp_path / "home")

        assert as_left(project.folder) == before
        project.wait(lambda: not project.marked(), "no process of a run lives on", 15)


def answered(project: Lifecycle) -> dict[str, set[tuple[str, str]]]:
    """Purpose of a call -> who was asked, and what came of it."""
    found: dict[str, set[tuple[str, str]]] = {}
    for purpose, agent, outcome in project.rows("SELECT purpose, agent, outcome FROM agent_calls"):
        found.setdefault(purpose, set()).add((agent, outcome))
    return found


def assert_concluded(project: Lifecycle) -> None:
    """What the client can show is concluded, and what it invented never counts."""
    folder = project.directory()
    conclusions = json.loads((folder / "conclusions.json").read_text())
    assert assert_places_exist(project.folder, conclusions["key_conclusions"]) >= 1
    points = {each["point"]: each["confidence"] for each in conclusions["key_conclusions"]}
    assert points[SHOWN["text"]] in ("high", "medium")
    assert points.get(INVENTED["text"], "low") == "low"
    for path in folder.glob("analyses/*.json"):
        record = json.loads(path.read_text())
        assert [each["text"] for each in record["unverified"]] == [INVENTED["text"]]
        assert_places_exist(project.folder, record)


@pytest.mark.parametrize("name", CLIENTS)
def test_a_client_analyzes_and_only_what_it_can_show_is_concluded(tmp_path: Path, name: str) -> None:
    with asking(tmp_path, name) as (project, env):
        done = project.run("start", "--mode", "analyze-quick", QUESTION, env=env, timeout=300)

        assert done.code == 0, done.out + done.err
        assert answered(project) == {
            "analysis": {(name, "answered")},
            "conclusions": {(name, "answered")},
        }
        assert_concluded(project)


@pytest.mark.parametrize(("name", "mode"), [("claude", "analyze-standard"), ("codex", "analyze-deep")])
def test_a_client_analyzes_from_two_perspectives_in_rounds(tmp_path: Path, name: str, mode: str) -> None:
    begin = ("start", "--mode", mode, QUESTION, "--perspectives", "security,concept")
    with asking(tmp_path, name) as (project, env):
        done = project.run(*begin, env=env, timeout=300)
        if mode == "analyze-deep":
            assert done.code == 3, done.out + done.err
            turned = project.run(
                "resume", "--decide", "instead look at how the depot counts", env=env, timeout=300
            )
            assert turned.code == 3, turned.out + turned.err
            asked = project.run("resume", "--decide", "Who counts?", env=env, timeout=300)
            assert asked.code == 3, asked.out + asked.err
            done = project.run("resume", "--decide", "done", env=env, timeout=300)

        assert done.code == 0, done.out + done.err
        assert answered(project) == {
            purpose: {(name, "answered")} for purpose in ("analysis", "analysis_round", "conclusions")
        }
        assert_concluded(project)
        rounds = sorted((project.directory() / "discussions").glob("*.json"))
        assert len(rounds) == (3 if mode == "analyze-deep" else 1)
        assert "The depot." in rounds[-1].read_text()


def test_a_client_advises_and_discusses_a_file(tmp_path: Path) -> None:
    with asking(tmp_path, "codex") as (project, env):
        discussed = project.run(
            "discuss", "README.md", "--perspectives", ",".join(VIEWS), env=env, timeout=300
        )
        assert discussed.code == 0, discussed.out + discussed.err
        spoken = set(project.rows("SELECT perspective, agent FROM critiques"))
        started = project.run("start", "--mode", "analyze-quick", QUESTION, env=env, timeout=300)
        assert started.code == 0, started.out + started.err

        done = project.run("advise", "Should counting need a shell?", env=env, timeout=300)

        assert done.code == 0, done.out + done.err
        assert spoken == {(each, "codex") for each in VIEWS}
        [record] = (project.directory() / "architecture").glob("arch-*.json")
        told = json.loads(record.read_text())
        assert "Keep them apart." in record.read_text()
        assert any(each["text"] == "A shell is in the way." for each in told["concerns"])
        assert_places_exist(project.folder, told)


def test_a_client_reviews_commits(tmp_path: Path) -> None:
    with asking(tmp_path, "claude", "class Parcel:\n    lost = None\n") as (project, env):
        done = project.run("start", "--mode", "review", "--base", "main", env=env, timeout=300)

        assert done.code in (0, 1), done.out + done.err
        assert ("claude", "answered") in {each for some in answered(project).values() for each in some}
        review = json.loads((project.directory() / "qa" / "review-REVIEW-001.json").read_text())
        assert any("None is no answer" in each["text"] for each in review["findings"])
