"""The shipped pack and what a mode becomes (docs/domain.md, sections 2, 3, 8 and 11)."""

import json
from pathlib import Path

import pytest

from orchestrator.config import load_pack
from orchestrator.domain.errors import UnknownName
from orchestrator.domain.pipelines import (
    Pack,
    expand,
    from_snapshot,
    to_snapshot,
    with_agents,
    with_perspectives,
)

SPEC = "RESEARCH-001> DRAFT-001>RESEARCH-001 DRAFT-002>DRAFT-001 DRAFT-003>DRAFT-002 DRAFT-004>DRAFT-003"
PIPELINES = {
    "spec-only": f"{SPEC} QUALITY-001>DRAFT-004",
    "impl-only": "PLAN-001> IMPL-001>PLAN-001 TEST-001>IMPL-001 REVIEW-001>IMPL-001",
    "full-lifecycle": f"{SPEC} QUALITY-001>DRAFT-004 PLAN-001>QUALITY-001 IMPL-001>PLAN-001 TEST-001>IMPL-001 "
    "REVIEW-001>IMPL-001",
    "fe-only": "PLAN-001> DEV-FE-001>PLAN-001 QA-FE-001>DEV-FE-001",
    "fullstack": "PLAN-001> IMPL-001>PLAN-001 DEV-FE-001>PLAN-001 TEST-001>IMPL-001 QA-FE-001>DEV-FE-001 "
    "REVIEW-001>TEST-001,QA-FE-001",
    "full-lifecycle-fe": f"{SPEC} QUALITY-001>DRAFT-004 PLAN-001>QUALITY-001 IMPL-001>PLAN-001 "
    "DEV-FE-001>PLAN-001 TEST-001>IMPL-001 QA-FE-001>DEV-FE-001 REVIEW-001>TEST-001,QA-FE-001",
    "review": "TEST-001> REVIEW-001>TEST-001",
    "analyze-quick": "EXPLORE-001> ANALYZE-001>EXPLORE-001 SYNTH-001>ANALYZE-001",
    "analyze-standard": "EXPLORE-001> ANALYZE-001>EXPLORE-001 DISCUSS-001>ANALYZE-001 SYNTH-001>DISCUSS-001",
    "analyze-deep": "EXPLORE-001> ANALYZE-001>EXPLORE-001 DISCUSS-001>ANALYZE-001 SYNTH-001>DISCUSS-001",
    "dynamic": "",
}
ROLES = [  # role, prefixes, kind, inner loop, installed
    ("coordinator", "", "orchestrator", False, True),
    ("analyst", "RESEARCH", "pipeline", False, True),
    ("writer", "DRAFT IMPROVE", "pipeline", True, True),
    ("reviewer", "QUALITY REVIEW", "pipeline", False, True),
    ("planner", "PLAN", "pipeline", True, True),
    ("executor", "IMPL", "pipeline", True, True),
    ("tester", "TEST", "pipeline", False, True),
    ("architect", "ARCH", "consulting", False, True),
    ("fe-developer", "DEV-FE", "frontend", False, True),
    ("fe-qa", "QA-FE", "frontend", False, True),
    ("supervisor", "SUPERVISE", "optional", False, True),
    ("discussant", "DISCUSS", "discuss", False, True),
    ("explorer", "EXPLORE ANALYZE", "analyze", False, True),
    ("synthesizer", "SYNTH", "analyze", False, True),
    ("dynamic", "", "dynamic", False, True),
]
ROUNDS = [
    ("DISCUSS-001", "RESEARCH-001", "spec/discovery-context.json", "product risk coverage", "analyst"),
    ("DISCUSS-002", "DRAFT-001", "spec/product-brief.md", "product technical quality coverage", "writer"),
    ("DISCUSS-003", "DRAFT-002", "spec/requirements/_index.md", "quality product coverage", "writer"),
    ("DISCUSS-004", "DRAFT-003", "spec/architecture/_index.md", "technical risk", "writer"),
    ("DISCUSS-005", "DRAFT-004", "spec/epics/_index.md", "product technical quality coverage", "writer"),
    (
        "DISCUSS-006",
        "QUALITY-001",
        "spec/readiness-report.md",
        "product technical quality risk coverage",
        "reviewer",
    ),
]
PERSPECTIVES = [
    ("product", "Product Manager", "gemini codex qwen opencode builtin"),
    ("technical", "Tech Lead", "codex gemini qwen opencode builtin"),
    ("quality", "QA Lead", "claude gemini qwen opencode builtin"),
    ("risk", "Risk Analyst", "gemini codex qwen opencode builtin"),
    ("coverage", "Requirements Analyst", "gemini codex qwen opencode builtin"),
]


@pytest.fixture(scope="module")
def pack() -> Pack:
    return load_pack(None, {"LIFECYCLE_CONFIG_DIR": str(Path(__file__).parent / "none")})


def edges(pack: Pack, mode: str, **options: object) -> dict[str, tuple[str, ...]]:
    return {task.key: task.blocked_by for task in expand(pack, mode, **options).tasks}  # type: ignore[arg-type]


@pytest.mark.parametrize("mode", PIPELINES)
def test_each_mode_has_the_tasks_and_edges_of_its_table_row(pack: Pack, mode: str) -> None:
    rows = [row.partition(">") for row in PIPELINES[mode].split()]
    expected = {key: tuple(blockers.split(",")) if blockers else () for key, _, blockers in rows}

    assert edges(pack, mode) == expected


def test_the_table_names_every_shipped_pipeline(pack: Pack) -> None:
    assert set(pack.pipelines) == set(PIPELINES)
    assert pack.pipelines["dynamic"].built_at_start


@pytest.mark.parametrize("mode", PIPELINES)
@pytest.mark.parametrize("discuss", ["inline", "standalone", "off"])
@pytest.mark.parametrize("supervise", [True, False])
def test_blockers_come_before_what_they_block(pack: Pack, mode: str, discuss: str, supervise: bool) -> None:
    seen: set[str] = set()

    for task in expand(pack, mode, discuss, supervise).tasks:  # type: ignore[arg-type]
        assert set(task.blocked_by) <= seen
        seen.add(task.key)


@pytest.mark.parametrize(
    ("mode", "checkpoint"),
    [
        ("spec-only", None),
        ("impl-only", None),
        ("full-lifecycle", "QUALITY-001"),
        ("full-lifecycle-fe", "QUALITY-001"),
    ],
)
def test_a_session_with_an_impl_phase_pauses_after_the_quality_check(
    pack: Pack, mode: str, checkpoint: str | None
) -> None:
    assert expand(pack, mode).checkpoint_after == checkpoint


def test_inline_rounds_belong_to_their_tasks(pack: Pack) -> None:
    rounds = {task.key: task.round for task in expand(pack, "full-lifecycle").tasks if task.round}

    assert rounds == {after: key for key, after, *_ in ROUNDS}


def test_without_discussions_no_task_has_a_round(pack: Pack) -> None:
    tasks = expand(pack, "spec-only", "off").tasks

    assert len(tasks) == 6
    assert not any(task.round for task in tasks)


def test_standalone_puts_a_discussion_between_each_task_and_its_successor(pack: Pack) -> None:
    pipeline = expand(pack, "full-lifecycle", "standalone")
    tasks = {task.key: task for task in pipeline.tasks}

    assert len(edges(pack, "spec-only", discuss="standalone")) == 12
    for key, after, *_ in ROUNDS:
        assert tasks[key].blocked_by == (after,)
        assert (tasks[key].role, tasks[key].prefix, tasks[key].round) == ("discussant", "DISCUSS", key)
        assert tasks[after].round is None
    assert tasks["DRAFT-003"].blocked_by == ("DISCUSS-003",)
    assert tasks["PLAN-001"].blocked_by == ("DISCUSS-006",)
    assert pipeline.checkpoint_after == "DISCUSS-006"


@pytest.mark.parametrize("discuss", ["inline", "standalone"])
def test_supervision_stands_behind_three_tasks(pack: Pack, discuss: str) -> None:
    found = edges(pack, "full-lifecycle", discuss=discuss, supervise=True)
    behind = {"inline": ("DRAFT-002", "DRAFT-004"), "standalone": ("DISCUSS-003", "DISCUSS-005")}[discuss]

    assert found["SUPERVISE-001"] == (behind[0],)
    assert found["DRAFT-003"] == ("SUPERVISE-001",)
    assert found["SUPERVISE-002"] == (behind[1],)
    assert found["QUALITY-001"] == ("SUPERVISE-002",)
    assert found["SUPERVISE-003"] == ("PLAN-001",)
    assert found["IMPL-001"] == ("SUPERVISE-003",)


def test_supervision_leaves_out_what_a_mode_does_not_have(pack: Pack) -> None:
    assert "SUPERVISE-003" not in edges(pack, "spec-only", supervise=True)


def test_unknown_modes_and_forms_list_the_known_ones(pack: Pack) -> None:
    with pytest.raises(UnknownName, match="mode 'spec'") as refused:
        expand(pack, "spec")
    assert "spec-only, impl-only" in refused.value.why

    with pytest.raises(UnknownName, match="discuss form"):
        expand(pack, "spec-only", "loud")  # type: ignore[arg-type]


@pytest.mark.parametrize(("name", "prefixes", "kind", "inner_loop", "installed"), ROLES)
def test_each_role_is_as_its_table_row_says(
    pack: Pack, name: str, prefixes: str, kind: str, inner_loop: bool, installed: bool
) -> None:
    role = pack.roles[name]

    assert (role.prefixes, role.kind, role.inner_loop) == (tuple(prefixes.split()), kind, inner_loop)
    assert role.installed == installed
    assert all(pack.role_of(prefix) is role for prefix in role.prefixes)


def test_the_role_table_is_complete(pack: Pack) -> None:
    assert list(pack.roles) == [row[0] for row in ROLES]
    assert pack.role_of("DRAFT-002-R1").name == "writer"
    with pytest.raises(UnknownName, match="NOPE"):
        pack.role_of("NOPE")


@pytest.mark.parametrize(("key", "after", "artifact", "views", "caller"), ROUNDS)
def test_each_round_is_as_its_table_row_says(
    pack: Pack, key: str, after: str, artifact: str, views: str, caller: str
) -> None:
    found = pack.rounds[key]

    assert (found.after, found.artifact, found.caller) == (after, artifact, caller)
    assert found.perspectives == tuple(views.split())


@pytest.mark.parametrize(("name", "label", "agents"), PERSPECTIVES)
def test_each_perspective_has_its_label_and_fallbacks(pack: Pack, name: str, label: str, agents: str) -> None:
    assert (pack.perspectives[name].label, pack.perspectives[name].agents) == (label, tuple(agents.split()))


def test_the_gates_are_those_of_the_quality_table(pack: Pack) -> None:
    gates = pack.gates

    assert gates.weights == {
        "completeness": 25,
        "consistency": 20,
        "traceability": 25,
        "depth": 20,
        "coverage": 10,
    }
    assert (gates.pass_score, gates.pass_coverage, gates.fail_score, gates.fail_coverage) == (80, 70, 60, 50)
    assert (gates.consensus_threshold, gates.improve_target) == (3.0, 80)
    assert {each.kind: len(each.required) for each in pack.documents if each.required} == {
        "brief": 6,
        "requirements": 5,
        "architecture": 6,
        "epics": 7,
    }


@pytest.mark.parametrize("mode", PIPELINES)
@pytest.mark.parametrize("discuss", ["inline", "standalone"])
def test_a_snapshot_survives_json_and_the_loss_of_its_pipeline(pack: Pack, mode: str, discuss: str) -> None:
    pipeline = expand(pack, mode, discuss, supervise=True)  # type: ignore[arg-type]

    kept, again = from_snapshot(json.loads(json.dumps(to_snapshot(pack, pipeline))))

    assert again == pipeline
    assert (kept.roles, kept.perspectives, kept.rounds) == (pack.roles, pack.perspectives, pack.rounds)
    assert (kept.gates, kept.documents, kept.supervise) == (pack.gates, pack.documents, pack.supervise)
    assert list(kept.pipelines) == [mode]


def test_chosen_perspectives_replace_those_of_every_round(pack: Pack) -> None:
    chosen = with_perspectives(pack, ["risk", "quality", "risk"])

    assert {found.perspectives for found in chosen.rounds.values()} == {("risk", "quality")}
    with pytest.raises(UnknownName, match="perspective 'elegance'"):
        with_perspectives(pack, ["elegance"])


def test_chosen_agents_replace_those_of_the_pack(pack: Pack) -> None:
    chosen = with_agents(pack, {"writer": ["mine", "builtin"]}, {"risk": ["mine"]})

    assert chosen.roles["writer"].agents == ("mine", "builtin")
    assert chosen.perspectives["risk"].agents == ("mine",)
    assert chosen.roles["analyst"] == pack.roles["analyst"]
    with pytest.raises(UnknownName, match="role 'wirter'"):
        with_agents(pack, {"wirter": ["mine"]}, {})
