"""A pipeline of a user's is refused beforehand, by file and line, or it runs to its end."""

from __future__ import annotations

import re
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from orchestrator.config import load_all
from orchestrator.domain.errors import ConfigError, NotAllowedNow
from orchestrator.domain.pipelines import Pack
from tests.runtime_harness import RuntimeHarness

Task = tuple[str, list[str], str | None]  # key, blocked by, round
CHAIN = ("RESEARCH-001", "DRAFT-001", "DRAFT-002", "DRAFT-003", "DRAFT-004", "QUALITY-001")
STRANGE = (
    "DRAFT-005",
    "RESEARCH-002",
    "QUALITY-002",
    "REVIEW-001",
    "IMPROVE-depth-001",
    "DISCUSS-001",
    "PLAN-001",
)
ROUNDS = {key: f"DISCUSS-00{number}" for number, key in enumerate(CHAIN, 1)}
VERDICTS = ("revision_exhausted", "signoff_blocked", "discussion_blocked")  # its critics did not agree
NOT_BUILT = "a role is not built"
WHERE = re.compile(r"/mine\.yaml:\d+: ")


def whole(*rounds: str) -> list[Task]:
    return [
        (key, list(CHAIN[:n][-1:]), ROUNDS[key] if key in rounds else None) for n, key in enumerate(CHAIN)
    ]


@st.composite
def pipelines(draw: st.DrawFn) -> list[Task]:
    """Mostly a part of the usual chain; sometimes with a strange task, another round, or an edge that is missing."""
    keys = list(CHAIN[: draw(st.integers(1, 6))])
    if draw(st.booleans()):
        keys.insert(draw(st.integers(0, len(keys))), draw(st.sampled_from(STRANGE)))
    if len(keys) > 1 and draw(st.booleans()):
        keys.pop(draw(st.integers(0, len(keys) - 1)))
    tasks: list[Task] = []
    for index, key in enumerate(keys):
        near = keys[:index][-1:] if draw(st.integers(0, 5)) else keys[: min(index, 1)]
        usual = ROUNDS.get(key)
        around = draw(st.sampled_from([None, None, usual, usual, "DISCUSS-002"]))
        tasks.append((key, near, around))
    return tasks


def load(folder: Path, tasks: list[Task], more: str = "") -> Pack:
    file = folder / ".workflow" / "packs" / "mine.yaml"
    file.parent.mkdir(parents=True)
    listed = "".join(
        f"      - {{key: {key}, blocked_by: [{', '.join(blockers)}]{f', round: {around}' if around else ''}}}\n"
        for key, blockers, around in tasks
    )
    file.write_text(f"extends: default\n{more}pipelines:\n  mine:\n    tasks:\n{listed}")
    return load_all(folder, {"LIFECYCLE_CONFIG_DIR": str(folder / "none")})[0]


def outcome(folder: Path, tasks: list[Task], form: str, more: str = "") -> str | list[str]:
    """How the session ended, or its pause; the faults, when it is refused."""
    try:
        pack = load(folder, tasks, more)
        harness = RuntimeHarness(folder, pack=pack, mode="mine", discuss=form)
    except ConfigError as error:
        return error.faults
    except NotAllowedNow:
        return NOT_BUILT
    for _ in range(4 * len(CHAIN)):
        harness.beat()
        if harness.state().status != "active":
            break
        row: Any = harness.claim()
        while row is not None:
            row = harness.run(row)
    state = harness.state()
    harness.store.close()
    return str(state.pause_reason or state.status)


@settings(max_examples=20, deadline=None, suppress_health_check=list(HealthCheck))
@given(tasks=pipelines(), form=st.sampled_from(["inline", "standalone", "off"]))
@example(tasks=whole(*CHAIN), form="inline")
@example(tasks=whole("DRAFT-001"), form="standalone")
@example(tasks=[("QUALITY-001", [], "DISCUSS-006")], form="inline")
@example(tasks=[("RESEARCH-001", [], None), ("RESEARCH-002", ["RESEARCH-001"], None)], form="inline")
@example(tasks=[("QUALITY-001", [], None), ("QUALITY-002", ["QUALITY-001"], None)], form="inline")
@example(tasks=[("RESEARCH-001", [], None), ("DRAFT-005", ["RESEARCH-001"], None)], form="inline")
def test_a_pipeline_is_refused_with_its_line_or_runs_to_the_end(tasks: list[Task], form: str) -> None:
    with tempfile.TemporaryDirectory(prefix="workable-") as folder:
        came = outcome(Path(folder), tasks, form)

    if isinstance(came, list):
        assert came
        assert [fault for fault in came if not WHERE.search(fault)] == []
    else:
        assert came in ("completed", *VERDICTS, NOT_BUILT)


NOT_DONE = {
    "a document that nothing makes": [("RESEARCH-001", [], None), ("DRAFT-005", ["RESEARCH-001"], None)],
    "a review of code": [("RESEARCH-001", [], None), ("REVIEW-001", ["RESEARCH-001"], None)],
    "an improvement": [("IMPROVE-depth-001", [], None)],
    "a discussion as a task": [("RESEARCH-001", [], None), ("DISCUSS-001", ["RESEARCH-001"], "DISCUSS-001")],
    "a draft without research": [("DRAFT-001", [], None)],
    "a draft beside what it is made from": [("RESEARCH-001", [], None), ("DRAFT-001", [], None)],
    "a draft without the one before": [("RESEARCH-001", [], None), ("DRAFT-002", ["RESEARCH-001"], None)],
    "another task's round": [("RESEARCH-001", [], "DISCUSS-002")],
}


@pytest.mark.parametrize("tasks", NOT_DONE.values(), ids=NOT_DONE)
def test_a_task_that_cannot_be_done_is_refused_in_its_own_line(tmp_path: Path, tasks: list[Task]) -> None:
    with pytest.raises(ConfigError) as refused:
        load(tmp_path, tasks)

    (fault,) = refused.value.faults
    assert f"/mine.yaml:{4 + len(tasks)}: pipelines.mine.tasks.{len(tasks) - 1}" in fault
    assert tasks[-1][0] in fault


def test_a_round_about_another_file_or_from_nowhere_is_refused(tmp_path: Path) -> None:
    rounds = "rounds: {DISCUSS-001: {artifact: spec/other.md}, DISCUSS-002: {perspectives: []}}\n"

    with pytest.raises(ConfigError) as refused:
        load(tmp_path, [("RESEARCH-001", [], "DISCUSS-001")], rounds)

    (fault,) = refused.value.faults
    assert "mine.yaml:2: rounds.DISCUSS-002.perspectives: a round needs at least one perspective" in fault


def test_a_part_that_lacks_its_beginning_is_refused_unless_it_says_so(tmp_path: Path) -> None:
    drafts = "{tasks: [{key: DRAFT-001}]}"
    parts = "pipelines:\n  first: {tasks: [{key: RESEARCH-001}]}\n  both: {parts: [first, drafts]}\n"
    file = tmp_path / ".workflow" / "packs" / "mine.yaml"
    file.parent.mkdir(parents=True)
    none = {"LIFECYCLE_CONFIG_DIR": str(tmp_path / "none")}

    file.write_text(f"extends: default\n{parts}  drafts: {drafts}\n")
    with pytest.raises(ConfigError) as refused:
        load_all(tmp_path, none)
    file.write_text(f"extends: default\n{parts}  drafts: {drafts[:-1]}, needs_spec: true}}\n")
    pack, _ = load_all(tmp_path, none)

    assert [fault.partition("mine.yaml:")[2][:2] for fault in refused.value.faults] == ["5:"]
    assert [task.key for task in pack.pipelines["both"].tasks] == ["RESEARCH-001", "DRAFT-001"]


ANOTHER = """documents:
  outline: {title: Outline, task: DRAFT-201, path: spec/outline.md, model: brief, purpose: Write it.,
            drafted_from: [discovery], required: [vision, scope], carries: [goals]}
  verdict: {title: Verdict, task: QUALITY-201, path: spec/verdict.md, model: readiness, scores: [outline],
            measures: [completeness, coverage]}
rounds:
  DISCUSS-201: {after: DRAFT-201, artifact: spec/outline.md, perspectives: [quality, coverage], focus: x, caller: writer}
  DISCUSS-202: {after: QUALITY-201, artifact: spec/verdict.md, perspectives: [quality], focus: x, caller: reviewer,
                signs_off: true}
"""


@pytest.mark.parametrize("form", ["inline", "standalone"])
def test_a_shipped_model_serves_a_document_of_another_name(tmp_path: Path, form: str) -> None:
    tasks: list[Task] = [
        ("RESEARCH-001", [], "DISCUSS-001"),
        ("DRAFT-201", ["RESEARCH-001"], "DISCUSS-201"),
        ("QUALITY-201", ["DRAFT-201"], "DISCUSS-202"),
    ]

    assert outcome(tmp_path, tasks, form, ANOTHER) == "completed"
