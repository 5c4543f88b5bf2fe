"""Whole sessions of hostile answers: no run ends badly, nothing is touched outside, every record reads back."""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Mapping
from contextlib import closing
from hashlib import sha256
from itertools import cycle
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given

from orchestrator.cli.main import run as lifecycle
from orchestrator.commands.resume import Answer, resume
from orchestrator.coordinator.projector import project
from orchestrator.domain.model import WISDOM
from orchestrator.store import leases, messages, records
from orchestrator.store.edits import session_directory
from orchestrator.store.rows import Run
from tests import factories as make
from tests import invariants
from tests.command_agent import command_agent
from tests.fuzzing import ANSWERS, SEEDS, TEXTS, examples, near, reworded, text, viewer
from tests.runtime_harness import HOST, RuntimeHarness, Told
from tests.unit.docgen_samples import english
from workers.agents.programs.external import ExternalAgent
from workers.agents.protocol import AgentRequest, Timeouts
from workers.documents.content import ArchitectureReview, Concern, Critique, Risk, Weakness
from workers.documents.page_form import validate

DEALER = Path(__file__).parents[1] / "e2e" / "agents" / "dealer.py"
VIEWER = viewer()
CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2028\u2029\u2066-\u2069\ufeff]")
REPORTED = re.compile(
    r"\[\w+\] [A-Z0-9-]+ complete\. |Divergences:$|- \((HIGH|MEDIUM|LOW)\) |Action items:$|[123]\. |"
    r"(Recommendation|Artifact|Discussion): "
)

pytestmark = pytest.mark.long
OURS = {"lifecycle.db", "lifecycle.db-wal", "lifecycle.db-shm", "runs", "cache", "locks", ".team"}


def work_through(harness: RuntimeHarness) -> None:
    """Every run that is offered, until none is; whoever waits for a person is told to go on."""
    harness.store.write(lambda tx: leases.renew(tx, HOST, [], 600))  # nobody renews it while we work
    for _ in range(12):
        following = _offered(harness)
        while following is not None:
            following = harness.run(following) or _offered(harness)
        if harness.state().pause_reason not in ("revision_exhausted", "signoff_blocked"):
            return
        resume(harness.store, harness.session, Answer("me"), more_attempts=3)
        if harness.state().status == "completed":
            return


def _offered(harness: RuntimeHarness) -> Run | None:
    harness.beat()
    return make.claim(harness.store, HOST)


def ended_well(harness: RuntimeHarness) -> None:
    """No attempt was paid for with another, and everything that was begun is closed."""
    outcomes = harness.rows("SELECT outcome, counted, error FROM runs")
    assert outcomes
    assert {(outcome, counted) for outcome, counted, _ in outcomes} == {("completed", 0)}, outcomes
    assert {call.outcome for call in harness.calls()} <= {"answered", "mined", "rubbish"}
    assert harness.state().pause_reason not in ("task_failed", "agent_unavailable", "disk", "stalled")
    invariants.check(harness.store.path)


def records_read_back(harness: RuntimeHarness) -> None:
    """The session's files, by real parsers, have as much in them as the database says, and nothing besides."""
    project(harness.store, harness.session)
    root = session_directory(harness.store.workflow, harness.session)
    files = {str(path.relative_to(root)): path for path in root.rglob("*") if not path.is_dir()}
    pages = {name: path.read_bytes() for name, path in files.items() if name.endswith(".md")}
    formed = {name: body for name, body in pages.items() if not name.startswith("wisdom/")}
    state = harness.state()

    assert all(path.is_file() and not path.is_symlink() for path in files.values())
    assert {path.name for path in harness.store.workflow.iterdir()} <= OURS
    assert validate(formed, files) == []
    for name, body in pages.items():
        parts = [token.type for token in VIEWER.parse(body.decode().partition("\n---\n")[2] or body.decode())]
        inside = [child for token in VIEWER.parse(body.decode()) for child in token.children or []]
        assert "html_inline" not in {child.type for child in inside}, name
        assert [child.attrs["href"] for child in inside if "://" in str(child.attrs.get("href"))] == [], name
        assert "image" not in {child.type for child in inside}, name
        if name.startswith("wisdom/"):
            kept = harness.store.read(lambda tx: records.wisdom_of(tx, harness.session))
            mine = [row for row in kept if name == f"wisdom/{row.name}.md"]
            assert set(parts) <= {"heading_open", "inline", "heading_close", *LIST}, name
            assert parts.count("list_item_open") == len(mine), name
    for name, path in files.items():
        if name.endswith(".json"):
            json.loads(path.read_text(encoding="utf-8"))
    lines = (root / ".msg" / "messages.jsonl").read_bytes().decode().splitlines()  # at every sort of line end
    told = [json.loads(line) for line in lines]
    assert [line["id"] for line in told] == [f"MSG-{number:03d}" for number in range(1, state.messages + 1)]
    reports = [summary.splitlines() for _, summary in harness.said() if " complete. Discuss " in summary]
    assert [line for report in reports for line in report if not REPORTED.match(line)] == []
    assert all(report[-3].startswith("Recommendation: ") for report in reports if len(report) > 1)


LIST = (
    "bullet_list_open",
    "bullet_list_close",
    "list_item_open",
    "list_item_close",
    "paragraph_open",
    "paragraph_close",
)


def commands_show_it(harness: RuntimeHarness, monkeypatch: Any, capsys: Any) -> None:
    """What people see is inert, and a message is a line."""
    monkeypatch.chdir(harness.store.workflow.parent)
    for arguments in (
        ["check"],
        ["log"],
        ["show"],
        ["tasks"],
        ["artifacts"],
        ["msg", "list"],
        ["msg", "status"],
        ["runs", "DRAFT-001"],
        ["discuss", "1"],
        ["why", "DRAFT-001"],
    ):
        for form in ([], ["--json"]):
            code = lifecycle([*arguments, *form])
            shown = capsys.readouterr()
            assert code == 0, shown.err
            assert not CONTROL.search(shown.out + shown.err), (arguments, CONTROL.findall(shown.out))
            if form and arguments != ["log"]:
                json.loads(shown.out)
            if arguments == ["log"]:
                assert shown.out.count("\n") == harness.state().messages


def tree(folder: Path) -> dict[str, str]:
    """Every name below a folder, with what it holds; the project's own `.workflow` is looked at by itself."""
    return {
        str(path): sha256(path.read_bytes()).hexdigest() if path.is_file() else "no file"
        for path in folder.rglob("*")
        if ".workflow" not in path.parts
    }


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """All that an agent could reach: the project with its session, a home, a folder for temporary files."""
    for name in ("here/project/src", "home", "tmp"):
        (tmp_path / "world" / name).mkdir(parents=True)
    (tmp_path / "world" / "here" / "project" / "src" / "a.py").write_text("x = 1\n")
    monkeypatch.setenv("HOME", str(tmp_path / "world" / "home"))
    monkeypatch.setenv("TMPDIR", str(tmp_path / "world" / "tmp"))
    return tmp_path / "world"


def dealer(table: Path, cards: Mapping[str, list[bytes]]) -> ExternalAgent:
    """A program that deals these answers, by the kind of question."""
    (table / "dealt").mkdir(parents=True)
    for kind, answers in cards.items():
        (table / kind).mkdir()
        for number, card in enumerate(answers):
            (table / kind / f"{number:03d}").write_bytes(card)
    argv = [sys.executable, "-I", "-S", str(DEALER), str(table)]
    return command_agent("dealer", argv, environ=os.environ, timeouts=Timeouts(turn=30, total=60))


def undealt(table: Path) -> list[str]:
    return [path.name for path in table.rglob("*") if path.is_file() and "dealt" not in path.parts]


@pytest.mark.parametrize("half", [0, 1])
def test_a_session_absorbs_every_answer_of_the_corpus(
    world: Path, tmp_path: Path, half: int, monkeypatch: Any, capsys: Any
) -> None:
    agent = dealer(tmp_path / "table", {"any": list(ANSWERS.values())[half::2]})
    before = tree(world)
    harness = RuntimeHarness(world / "here", agent)

    with closing(harness.store):
        work_through(harness)

        ended_well(harness)
        records_read_back(harness)
        commands_show_it(harness, monkeypatch, capsys)
    assert undealt(tmp_path / "table") == []
    assert tree(world) == before


def test_a_session_writes_every_text_of_the_corpus_and_keeps_its_form(
    world: Path, tmp_path: Path, monkeypatch: Any, capsys: Any
) -> None:
    words = cycle(TEXTS.values())
    answers = {name: [content] * 6 for name, content in english().items()}  # revisions are asked for too
    answers["critique"] = [_critique(number % 3 + 3) for number in range(60)]
    answers["architecture_review"] = [ArchitectureReview(concerns=[Concern(text="x")], suggestions=["x"])] * 6
    cards = {
        kind: [reworded(each, lambda _: next(words)).model_dump_json().encode() for each in given]
        for kind, given in answers.items()
    }
    agent = dealer(tmp_path / "table", cards)
    before = tree(world)
    harness = RuntimeHarness(world / "here", agent)

    with closing(harness.store):
        work_through(harness)

        ended_well(harness)
        records_read_back(harness)
        commands_show_it(harness, monkeypatch, capsys)
    assert {call.agent for call in harness.calls() if call.purpose != "critique"} == {"dealer"}
    assert tree(world) == before


def _critique(rating: int) -> Critique:
    return Critique(
        rating=rating,
        strengths=["x", "y"],
        weaknesses=[Weakness(text="x", severity="high")],
        suggestions=["x", "y"],
        missing_requirements=["x"],
        risk_level="medium",
        risks=[Risk(description="x", mitigation="y")],
        testability_issues=["x"],
        open_questions=["x"],
        assumptions=["x"],
    )


@examples(2)
@given(random=SEEDS)
def test_a_session_of_any_answers_ends_well(random: Random) -> None:
    def answer(request: AgentRequest) -> Any:
        assert request.schema is not None
        return request.schema.model_validate(near(request.schema, random))

    with TemporaryDirectory() as folder:
        harness = RuntimeHarness(Path(folder), Told(answers={"*": answer}))
        with closing(harness.store):
            work_through(harness)

            ended_well(harness)
            records_read_back(harness)


@examples(12)
@given(random=SEEDS)
def test_any_message_and_any_learning_is_one_entry_of_its_record(random: Random) -> None:
    with TemporaryDirectory() as folder:
        harness = RuntimeHarness(Path(folder))
        with closing(harness.store):
            for _ in range(20):
                harness.store.write(
                    lambda tx: messages.say(
                        tx, harness.session, "writer", "draft_ready", text(random), data=[text(random)]
                    )
                )
                harness.learn(random.choice(WISDOM), text(random))

            records_read_back(harness)
