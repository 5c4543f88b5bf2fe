"""The rules of dynamic mode: capabilities by words, tiers, complexity, merging and limits, and who fills a gap."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator.config import load_all, load_pack
from orchestrator.config.role_files import guidance_of, role_files
from orchestrator.domain.capability_gaps import MOST_TASKS, assignment, capability_named
from orchestrator.domain.dynamic import DOCUMENT, ROLES, Capability, DynamicRules, VagueRequest, behind
from orchestrator.domain.dynamic_roles import MOST, analyse
from orchestrator.domain.dynamic_session import generated
from orchestrator.domain.errors import ConfigError
from orchestrator.domain.graph import graph_faults
from orchestrator.domain.pipelines import Pack, Pipeline, from_snapshot, to_snapshot
from workers.landing.work_plans import team_task

PACK = load_pack(None, {"LIFECYCLE_CONFIG_DIR": "/nonexistent"})
RULES = PACK.dynamic
EVERYTHING = "Investigate, plan, design, implement, document, analyze and test the importer"

REQUESTS = [  # request -> tasks by role, score, level
    ("Investigate how uploads are stored", {"researcher": ["research"]}, 2, "Low"),
    ("Fix the crash in the parser", {"developer": ["coding"]}, 2, "Low"),
    ("Implement a rate limiter and test it", {"developer": ["coding"], "tester": ["testing"]}, 4, "Medium"),
    ("Research caches and write an article about them", {"researcher": ["research", "writing"]}, 4, "Medium"),
    ("Evaluate three message queues", {"researcher": ["research", "analysis"]}, 4, "Medium"),
    (
        "Design and build a queue, then test it",
        {"developer": ["coding"], "designer": ["design"], "tester": ["testing"]},
        8,
        "High",
    ),
    ("Create REST API for user management", {"developer": ["coding"]}, 2, "Low"),
    ("Update the docs of the command line", {"developer": ["coding"]}, 2, "Low"),
    ("Create a plan for the release", {"planner": ["planning"]}, 2, "Low"),
    ("创建一个用户管理接口", {"developer": ["coding"]}, 2, "Low"),
    ("调研缓存方案并实现一个缓存", {"developer": ["coding"], "researcher": ["research"]}, 4, "Medium"),
    (
        EVERYTHING,
        {
            "developer": ["coding", "writing"],
            "researcher": ["research"],
            "designer": ["design"],
            "analyst": ["analysis", "testing"],
            "planner": ["planning"],
        },
        16,
        "High",
    ),
]


@pytest.mark.parametrize(("request_text", "roles", "score", "level"), REQUESTS)
def test_a_request_becomes_roles(
    request_text: str, roles: dict[str, list[str]], score: int, level: str
) -> None:
    found = analyse(request_text, RULES)

    assert {role.name: list(role.capabilities) for role in found.roles} == roles
    assert (found.complexity.score, found.complexity.level) == (score, level)
    assert [role.name for role in found.roles] == sorted(roles, key=ROLES.index)


@pytest.mark.parametrize(
    ("request_text", "why"),
    [
        ("make it nicer", "none of its words"),
        ("build it", "says 'build'"),
        ("What changed between version one and two?", "none of its words"),
        ("为什么修改没有生效？", "none of its words"),
    ],
)
def test_a_vague_request_asks_and_is_one_general_task_as_it_is(request_text: str, why: str) -> None:
    with pytest.raises(VagueRequest) as asked:
        analyse(request_text, RULES)

    assert asked.value.exit_code == 2
    assert why in asked.value.why and "1. What should be there" in asked.value.why
    assert "--yes" in asked.value.fix
    assert len(analyse(request_text, RULES, as_it_is=True).roles) == 1
    assert analyse("make it nicer", RULES, as_it_is=True).roles[0].capabilities == ("general",)


def test_tasks_wait_for_the_next_lower_tier_and_run_beside_each_other_within_one() -> None:
    edges = analyse(EVERYTHING, RULES).edges

    assert edges["research"] == edges["planning"] == ()
    assert edges["design"] == ("research", "planning")
    assert edges["coding"] == edges["writing"] == ("design",)
    assert edges["testing"] == edges["analysis"] == ("writing", "coding")


def test_a_cycle_by_a_packs_own_order_is_broken_at_the_lowest_tier_with_a_warning() -> None:
    circular = {**RULES.capabilities, "research": replace(RULES.capabilities["research"], after=("coding",))}

    found = analyse("Investigate the cache and implement one", replace(RULES, capabilities=circular))

    assert found.edges == {"research": (), "coding": ("research",)}
    [warning] = found.warnings
    assert "research" in warning and "coding" in warning and "cycle" in warning


def test_what_is_on_no_cycle_is_still_waited_for() -> None:
    later = replace(RULES.capabilities["research"], after=("planning", "coding"))
    known = replace(RULES, capabilities={**RULES.capabilities, "research": later})

    edges = analyse("Investigate, plan and implement the cache", known).edges

    assert edges["research"] == ("planning",)
    assert set(edges["coding"]) == {"research", "planning"}


def test_a_plan_that_code_follows_is_carried_out_and_one_alone_is_a_document() -> None:
    alone, carried = (
        analyse(text, RULES) for text in ("Plan the move to a queue", "Plan and implement a queue")
    )

    assert (alone.work_of("planning"), carried.work_of("planning")) == ("document", "plan")
    own = generated(PACK, carried, "a queue").pipelines["dynamic"]
    assert [(task.key, task.blocked_by) for task in own.tasks] == [
        ("PLAN-001", ()),
        ("IMPL-001", ("PLAN-001",)),
    ]


def test_rounds_have_the_perspectives_of_their_role_and_code_has_none() -> None:
    own = generated(PACK, analyse(EVERYTHING, RULES), "the importer")

    assert {each.after: each.perspectives for each in own.rounds.values()} == {
        "RESEARCH-001": ("accuracy", "feasibility"),
        "DESIGN-001": ("feasibility", "technical"),
        "DRAFT-001": ("technical", "quality", "clarity", "accuracy"),
        "ANALYSIS-001": ("accuracy", "risk", "quality"),
    }
    assert own.role_of("DRAFT").name == "developer", "DRAFT may be another role here"


def test_the_snapshot_of_a_session_keeps_what_was_generated() -> None:
    own = generated(PACK, analyse(EVERYTHING, RULES), "the importer")
    pipeline = Pipeline("dynamic", own.pipelines["dynamic"].tasks, "TC")

    kept, again = from_snapshot(to_snapshot(own, pipeline))

    assert (kept.roles, kept.dynamic, again) == (own.roles, own.dynamic, pipeline)


def test_each_role_has_a_file_that_guides_and_an_edited_one_is_checked() -> None:
    analysis = analyse(EVERYTHING, RULES)
    roles = generated(PACK, analysis, "the importer").roles

    files = role_files(analysis, roles)

    assert sorted(files) == sorted(f"roles/{role.name}.md" for role in analysis.roles)
    text = files["roles/developer.md"].decode()
    assert "smallest change that does it" in (guidance_of(text, "developer") or "")
    for nonsense in (
        "",
        "# Developer\n",
        text.replace("role: developer", "role: root"),
        text[:90],
        text + "\0",
    ):
        assert guidance_of(nonsense, "developer") is None, nonsense
    assert guidance_of(text, "tester") is None


FAULTY = [  # capability as a pack states it -> fault
    ("{role: wizard, prefix: MAGIC, work: document}", "unknown role 'wizard'"),
    ("{role: writer, prefix: MAGIC, work: spells}", "unknown work 'spells'"),
    ("{role: writer, prefix: DRAFT, work: document}", "prefix 'DRAFT' already belongs to writing"),
    ("{role: writer, prefix: REVIEW, work: document}", "REVIEW is the prefix of other work"),
    ("{role: developer, prefix: HACK, work: code}", "tasks of code have the prefix IMPL"),
    ("{role: writer, prefix: magic, work: document}", "'magic' is not a task prefix"),
    ("{role: writer, prefix: MAGIC, work: document, tier: 4}", "a number from 0 to 3"),
    ("{role: writer, prefix: MAGIC, work: document, after: [nothing]}", "unknown capability 'nothing'"),
    (
        "{role: writer, prefix: MAGIC, work: document, perspectives: [elegance]}",
        "unknown perspective 'elegance'",
    ),
]


@pytest.mark.parametrize(("stated", "fault"), FAULTY)
def test_faults_of_a_packs_capabilities_are_told_with_their_line(
    tmp_path: Path, stated: str, fault: str
) -> None:
    packs = tmp_path / ".workflow" / "packs"
    packs.mkdir(parents=True)
    (packs / "mine.yaml").write_text(f"extends: default\ndynamic:\n  capabilities:\n    magic: {stated}\n")

    with pytest.raises(ConfigError) as refused:
        load_all(tmp_path, {"LIFECYCLE_CONFIG_DIR": str(tmp_path / "none")})

    assert any(fault in each and "mine.yaml:4" in each for each in refused.value.faults), refused.value.faults


names = st.lists(st.sampled_from([f"word{n}" for n in range(12)]), min_size=1, max_size=4, unique=True)


@st.composite
def rules(draw: st.DrawFn) -> DynamicRules:
    count = draw(st.integers(1, 9))
    every = [f"c{n}" for n in range(count)]
    made = {
        name: Capability(
            name=name,
            role=draw(st.sampled_from(ROLES)),
            prefix="ABCDEFGHI"[n],
            tier=draw(st.integers(0, 3)),
            work=DOCUMENT,
            words=tuple(draw(names)),
            explores=draw(st.booleans()),
            after=tuple(draw(st.lists(st.sampled_from(every), max_size=3))),
        )
        for n, name in enumerate(every)
    }
    return DynamicRules(made)


@given(rules(), names)
def test_whatever_the_rules_say_roles_are_few_and_each_task_has_one(
    known: DynamicRules, said: list[str]
) -> None:
    request = " ".join(["importer of records", *said])
    try:
        found = analyse(request, known)
    except VagueRequest:
        return

    assert len(found.roles) <= min(MOST, found.complexity.most_roles)
    assert len({role.name for role in found.roles}) == len(found.roles)
    done = sorted(name for role in found.roles for name in role.capabilities)
    assert done == sorted(each.name for each in found.wanted)
    assert not any(name in behind(found.edges, name) for name in found.edges)
    assert analyse(request, known) == found
    tasks = generated(replace(PACK, dynamic=known), found, "x").pipelines["dynamic"].tasks
    assert graph_faults(tasks) == [] and len(tasks) == len(found.wanted)


# gaps


def own_pack(request: str) -> Pack:
    return generated(PACK, analyse(request, RULES), "x")


GAPS = [  # request of the session, capability that is missing -> what follows, who does it
    ("Implement a cache and test it", "testing", "task", "tester"),
    ("Implement a cache and test it", "writing", "role", "writer"),
    ("Implement a cache and test it", "research", "role", "researcher"),
    (EVERYTHING, "general", "fit", "designer"),
    (EVERYTHING.replace(", implement", ""), "coding", "note", None),
]


@pytest.mark.parametrize(("request_text", "missing", "kind", "role"), GAPS)
def test_a_gap_is_filled_by_a_role_that_fits_a_new_one_or_the_best_one(
    request_text: str, missing: str, kind: str, role: str | None
) -> None:
    decided = assignment(own_pack(request_text), RULES.capabilities[missing], 0)

    assert (decided.kind, decided.role and decided.role.name) == (kind, role), decided.why
    assert decided.role is None or RULES.capabilities[missing].prefix in decided.role.works


def test_gaps_add_only_so_many_tasks() -> None:
    decided = assignment(own_pack("Implement a cache"), RULES.capabilities["testing"], MOST_TASKS)

    assert decided.kind == "note" and str(MOST_TASKS) in decided.why


@pytest.mark.parametrize(
    ("name", "text", "found"),
    [
        ("testing", "", "testing"),
        ("TEST", "", "testing"),
        ("tester", "", "testing"),
        ("docs", "write a guide for cooks", "writing"),
        ("magic", "nobody knows", "general"),
    ],
)
def test_a_gap_is_named_in_the_words_of_whoever_found_it(name: str, text: str, found: str) -> None:
    assert capability_named(name, text, RULES).name == found


@pytest.mark.parametrize("request_text", ["Implement a cache", "Write about caches"])
def test_a_gap_in_code_is_a_note_where_nobody_edits_files_whether_or_not_a_role_codes(
    request_text: str,
) -> None:
    pack = own_pack(request_text)

    coding = assignment(pack, RULES.capabilities["coding"], 0, can_code=False)
    writing = assignment(pack, RULES.capabilities["research"], 0, can_code=False)

    assert (coding.kind, coding.role) == ("note", None) and "edits files" in coding.why
    assert writing.kind != "note"
    assert assignment(pack, RULES.capabilities["coding"], 0).kind != "note"


def test_each_task_of_a_gap_is_a_plan_task_of_its_own_and_its_revision_is_the_same() -> None:
    given = {"title": "Count parcels", "description": "Count them", "kind": "feature"}

    first, second, again = (team_task(key, given) for key in ("IMPL-001", "IMPL-002", "IMPL-002-R1"))

    assert (first.id, second.id, again.id) == ("REQUEST-001", "REQUEST-002", "REQUEST-002")
    assert [each.id for each in (*first.criteria, *second.criteria)] == ["REQUEST-001-C1", "REQUEST-002-C1"]
