"""The supervisor and the architect as a user meets them: without an agent, by rules, with evidence, and in nobody's way."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.support import Lifecycle, agent_toml, lifecycle
from tests.git_world import as_left, repository

FILES = {
    ".gitignore": ".workflow/\n",
    "depot.py": "import door\n\n\ndef keep(parcel):\n    return door.close(parcel)\n",
    "door.py": "import depot\n\n\ndef close(parcel):\n    return depot\n",
}
AGREEING = """# Parcel locker

## Goals
- Couriers deliver a parcel in under 30 seconds.

## Requirements
- The locker must keep an uncollected parcel for 3 days.
- The locker must notify the recipient by SMS when a parcel arrives.

## Out of scope
- Payment by card.
"""
CONTRADICTING = AGREEING.replace(
    "\n## Out", "- The locker must keep an uncollected parcel for 7 days.\n\n## Out"
)


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Lifecycle]:
    with lifecycle(repository(tmp_path / "p", FILES)) as made:
        yield made


def supervise(project: Lifecycle, request: str) -> int:
    return project.run("start", request, "--mode", "spec-only", "--supervise", "--discuss", "off").code


def record(project: Lifecycle, name: str) -> dict[str, object]:
    found: dict[str, object] = json.loads((project.directory() / name).read_text())
    return found


def test_documents_that_agree_are_supervised_to_the_end_and_advised_on_in_every_mode(
    project: Lifecycle,
) -> None:
    before = as_left(project.folder)

    assert supervise(project, AGREEING) == 0
    assert [record(project, f"qa/supervise-{n}.json")["verdict"] for n in (1, 2)] == ["pass", "pass"]
    pages = {path: path.read_bytes() for path in project.directory().glob("spec/**/*.md")}

    consult = project.run("advise", "How are doors closed in the depot?", "--json")
    spec = project.run("advise", "--json")
    code = project.run("advise", "--mode", "code", "--json")
    asked = project.run("advise", "Payment by card", "--mode", "feasibility", "--json")

    assert [consult.code, spec.code, code.code, asked.code] == [0, 0, 0, 0]
    advice = {each["mode"]: each for each in asked.json()["report"]["advice"]}
    assert set(advice) == {"consult", "spec", "code", "feasibility"}
    assert advice["feasibility"]["verdict"] == "RISKY"
    assert advice["feasibility"]["concerns"][0]["text"].startswith("The specification rules this out")
    assert "depot.py, door.py" in advice["code"]["concerns"][0]["text"]
    shown = record(project, "architecture/arch-code-001.json")["concerns"]
    assert {"path": "depot.py", "line": 1, "quote": "import door"} in shown[0]["evidence"]  # type: ignore[index]
    assert project.run("open", "ARCH-CONSULT-001").out.strip().endswith("architecture/arch-consult-001.md")
    assert set(project.tasks().values()) == {"completed"}
    assert {path: path.read_bytes() for path in pages} == pages
    assert as_left(project.folder) == before


def test_a_contradiction_blocks_until_a_person_revises_or_accepts_it(project: Lifecycle) -> None:
    assert supervise(project, CONTRADICTING) == 3
    assert project.status() == ("paused", "supervision_blocked")
    shown = project.run("check").out
    assert "for 3 days" in shown and "for 7 days" in shown
    assert 'lifecycle revise DRAFT-002 "what to change"' in shown
    token = project.run("check", "--json").json()["pause"]["approval"]["token"]

    advised = project.run("advise", "What is a locker for?", "--json")

    assert (advised.code, project.status()) == (3, ("paused", "supervision_blocked"))
    assert project.tasks()["ARCH-CONSULT-001"] == "completed"
    assert project.tasks()["DRAFT-003"] == "pending"
    again = project.run("check", "--json").json()
    assert again["pause"]["approval"]["token"] == token  # advice changes nothing of what is approved

    revised = project.run("revise", "DRAFT-002", "Parcels are kept for 3 days.")
    assert revised.code == 3  # by rules the request's own words stay: it says so again
    assert project.tasks()["SUPERVISE-001-R1"] == "completed"

    accepted = project.run("resume")
    assert accepted.code == 3  # the second supervision sees all four documents
    done = project.run("resume")

    assert (done.code, project.status()) == (0, ("completed", None))
    said = [row[0] for row in project.rows("SELECT subject FROM decisions ORDER BY id")]
    assert [each for each in said if each.startswith("accept")] == [
        "accept_supervision SUPERVISE-001-R1",
        "accept_supervision SUPERVISE-002",
    ]
    issues = (project.directory() / "wisdom" / "issues.md").read_text()
    assert "contradictions" in issues


CLAIMS = {
    "contradictions": [
        {
            "severity": "high",
            "text": "three days are not seven",
            "one": {"path": "spec/requirements/_index.md", "quote": "WORDS"},
            "other": {"path": "spec/product-brief.md", "quote": "OTHER"},
        }
    ]
}


@pytest.mark.parametrize(
    ("quotes", "code"),
    [(("Parcel locker", "Parcel locker"), 3), (("Parcel locker", "what no file says"), 0)],
    ids=["found on both sides", "invented"],
)
def test_an_agent_s_contradiction_counts_only_where_both_sides_are_found(
    tmp_path: Path, quotes: tuple[str, str], code: int
) -> None:
    answer = json.dumps(CLAIMS).replace("WORDS", quotes[0]).replace("OTHER", quotes[1])
    (tmp_path / "answer.json").write_text(answer)
    program = "import sys; sys.stdin.read(); print(open(sys.argv[1]).read())"
    extra = agent_toml("reader", [sys.executable, "-c", program, str(tmp_path / "answer.json")])
    with lifecycle(tmp_path / "p", extra=extra + '[roles]\nsupervisor = ["reader", "builtin"]\n') as project:
        assert supervise(project, AGREEING) == code

        meaning = record(project, "qa/supervise-1.json")["checks"][-1]  # type: ignore[index]
        assert (meaning["check"], meaning["result"]) == ("meaning", "fail" if code else "pass")


def test_a_supervisor_whose_agent_fails_goes_by_the_rules(tmp_path: Path) -> None:
    extra = agent_toml("broken", [sys.executable, "-c", "raise SystemExit(3)"])
    with lifecycle(
        tmp_path / "p", extra=extra + '[roles]\nsupervisor = ["broken"]\narchitect = ["broken"]\n'
    ) as project:
        assert supervise(project, AGREEING) == 0
        assert record(project, "qa/supervise-1.json")["agent"] == "rules"
        assert project.run("advise", "What is a locker for?").code == 0


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("advise", "  "), "the question is empty"),
        (("advise", "x" * 4_001), "the question is too long"),
        (("advise", "x", "--mode", "guess"), "unknown mode of advice"),
        (("advise", "--mode", "consult"), "mode consult needs a question"),
        (("advise", "x", "--session", "TLS-unknown"), "unknown session"),
        (("advise", "x", "--at", "DRAFT-009"), "unknown task"),
        (("advise", "--mode", "plan"), "has no plan"),
        (("revise", "ARCH-CONSULT-001"), "is advice and is not revised"),
        (("archived",), "is archived"),
    ],
)
def test_advice_that_cannot_be_is_refused_and_changes_nothing(
    advised: Lifecycle, arguments: tuple[str, ...], words: str
) -> None:
    if arguments == ("archived",):
        assert advised.run("archive", advised.session()).code == 0
        arguments = ("advise", "x", "--session", advised.session())
    before = advised.rows("SELECT count(*) FROM tasks"), advised.rows("SELECT count(*) FROM messages")

    refused = advised.run(*arguments)

    assert (refused.code, words in refused.err, "try:" in refused.err) == (2, True, True), refused.err
    assert (
        advised.rows("SELECT count(*) FROM tasks"),
        advised.rows("SELECT count(*) FROM messages"),
    ) == before


@pytest.fixture(scope="module")
def advised(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lifecycle]:
    with lifecycle(tmp_path_factory.mktemp("advised") / "p") as made:
        assert made.run("start", AGREEING, "--mode", "spec-only", "--discuss", "off").code == 0
        assert made.run("advise", "What is a locker for?").code == 0
        yield made
