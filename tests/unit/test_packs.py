"""Packs with faults are refused as a whole, with file and line (bad inputs 18 to 21, 24 and 29)."""

import json
from pathlib import Path

import pytest

from orchestrator.config import load_pack, resources
from orchestrator.domain.errors import ConfigError
from orchestrator.domain.pipelines import expand, from_snapshot, to_snapshot

NONE = {"LIFECYCLE_CONFIG_DIR": str(Path(__file__).parent / "none")}


def write(project: Path, text: str | bytes, name: str = "mine.yaml") -> Path:
    path = project / ".workflow" / "packs" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def faults(project: Path, text: str | bytes) -> list[str]:
    """The faults of a project with this pack, the file's path cut off."""
    path = write(project, text)
    with pytest.raises(ConfigError) as refused:
        load_pack(project, NONE)
    assert refused.value.exit_code == 2
    return [fault.replace(str(path), "mine.yaml") for fault in refused.value.faults]


def pipeline(*tasks: str) -> str:
    listed = "".join(f"\n      - {{{task}}}" for task in tasks)
    return f"extends: default\npipelines:\n  mine:\n    tasks:{listed or ' []'}\n"


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("extends: default\nroles:\n\twriter:\n", "mine.yaml:3: is indented with a tab"),
        ("extends: default\nmodes:\n  spec: [a]\n  spec: [b]\n", "mine.yaml:4: duplicate key 'spec'"),
        ("extends: default\nroles: !!python/object:os.system {}\n", "mine.yaml:2: the tag"),
        ("extends: default\nroles: !mine x\n", "mine.yaml:2: the tag '!mine'"),
        ("\ufeffextends: default\n", "mine.yaml:1: begins with a byte order mark"),
        ("extends: default\r\nroles: {}\r\n", "mine.yaml:1: has CRLF line ends"),
        ("extends: default\n---\nroles: {}\n", "mine.yaml:2: holds several documents"),
        ("extends: default\nroles: [\n", "mine.yaml:3: "),
        ("extends: default\nroles: &a [*a]\n", "is nested more than"),
        ("extends: default\nroles: {<<: {}}\n", "mine.yaml:2: merge keys"),
        ("extends: default\nroles: " + "[" * 3000, "mine.yaml:"),
        ("extends: default\nroles: " + "[" * 60 + "]" * 60, "is nested more than"),
        ("- a\n- b\n", "mine.yaml:1: expected keys with values"),
        (b"extends: default\nroles: \xff\n", "mine.yaml:2: is not UTF-8"),
        ("extends: default\n#" + "x" * 1024 * 1024, "mine.yaml: is larger than 1024 KiB"),
        ("roles: {}\n", "mine.yaml:1: a pack must begin with `extends: default`"),
        ("extends: other\n", "mine.yaml:1: a pack must begin with `extends: default`"),
    ],
)
def test_a_file_that_is_no_plain_yaml_names_its_line(tmp_path: Path, text: str | bytes, fault: str) -> None:
    found = faults(tmp_path, text)

    assert any(fault in one for one in found), found


def test_a_billion_laughs_are_cut_short(tmp_path: Path) -> None:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 10)]

    found = faults(tmp_path, "extends: default\n" + "\n".join(lines))

    assert "holds more than 100000 values" in found[0]


def test_a_folder_or_a_fifo_in_place_of_a_pack_is_refused_at_once(tmp_path: Path) -> None:
    import os

    (tmp_path / ".workflow" / "packs" / "a.yaml").mkdir(parents=True)
    os.mkfifo(tmp_path / ".workflow" / "packs" / "b.yaml")

    with pytest.raises(ConfigError) as refused:
        load_pack(tmp_path, NONE)

    assert ["is not a regular file" in fault for fault in refused.value.faults] == [True, True]


@pytest.mark.parametrize(
    ("value", "found"),
    [
        ("no", "false"),
        ("on", "true"),
        ("1_000", "the int '1000'"),
        ("012", "the int '10'"),
        ("2026-11-21", "the date '2026-11-21'"),
        ("1.5", "the float '1.5'"),
        ("12:30:45", "the int '45045'"),
        ("~", "nothing"),
        ('""', "empty text"),
        ("[a]", "a list"),
        ("{a: b}", "keys with values"),
    ],
)
def test_what_is_no_text_where_text_is_meant_is_named(tmp_path: Path, value: str, found: str) -> None:
    text = f"extends: default\nperspectives:\n  product:\n    label: {value}\n"

    assert faults(tmp_path, text) == [
        f"mine.yaml:4: perspectives.product.label: expected text, found {found}; put it in quotes"
    ]


def test_text_in_quotes_is_text(tmp_path: Path) -> None:
    write(tmp_path, 'extends: default\nperspectives:\n  product:\n    label: "no"\n')

    assert load_pack(tmp_path, NONE).perspectives["product"].label == "no"


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("rols: {}", "mine.yaml:2: rols: unknown key 'rols'; did you mean 'roles'?"),
        ("roles: {writer: {agnts: []}}", "did you mean 'agents'?"),
        ("gates: {pass_scroe: 1}", "did you mean 'pass_score'?"),
        ("gates: {weights: {dept: 1}}", "did you mean 'depth'?"),
        (
            "rounds: {DISCUSS-001: {perspectives: [prodct]}}",
            "unknown perspective 'prodct'; did you mean 'product'?",
        ),
        ("rounds: {DISCUSS-001: {caller: wirter}}", "unknown role 'wirter'; did you mean 'writer'?"),
        (
            "pipelines: {mine: {parts: [spec-onyl]}}",
            "unknown pipeline 'spec-onyl'; did you mean 'spec-only'?",
        ),
        ("gates: {consensus_threshold: 6}", "expected a number from 1 to 5, found 6"),
        ("gates: {pass_score: .nan}", "expected a number"),
        ("gates: {pass_score: yes}", "expected a number, found true"),
        ("gates: {weights: {depth: 30}}", "weights must add up to 100, these make 110"),
        ("gates: {pass_score: 50}", "must not be below fail_score"),
        ("roles: {mine: {kind: pipeline, prefixes: [DRAFT]}}", "already belongs to role 'writer'"),
        ("roles: {mine: {kind: pipeline, prefixes: [lower]}}", "is not a task prefix"),
        ("roles: {writer: {instructions: ../../x}}", "must be a file below"),
        ("rounds: {DISCUSS-001: {artifact: /etc/passwd}}", "must be a path below"),
        ("rounds: {TALK-001: {}}", "is not a round"),
        ("pipelines: {mine: {id_prefix: ABC, tasks: [{key: DRAFT-001}]}}", "must be one of TLS, UAN, TC"),
    ],
)
def test_an_unknown_or_wrong_value_is_named_with_what_was_meant(
    tmp_path: Path, text: str, fault: str
) -> None:
    found = faults(tmp_path, f"extends: default\n{text}\n")

    assert any(fault in one for one in found), found
    assert all(one.startswith("mine.yaml:2: ") for one in found)


@pytest.mark.parametrize(
    ("tasks", "fault"),
    [
        (
            ["key: DRAFT-001, blocked_by: [DRAFT-002]", "key: DRAFT-002, blocked_by: [DRAFT-001]"],
            "cycle: DRAFT-001 > DRAFT-002 > DRAFT-001",
        ),
        (
            ["key: PLAN-001", "key: DRAFT-001, blocked_by: [DRAFT-001]"],
            "self edge: DRAFT-001 waits for itself",
        ),
        (["key: DRAFT-001, blocked_by: [DRAFT-007]"], "dangling edge: DRAFT-001 waits for 'DRAFT-007'"),
        (["key: NOPE-001"], "unknown role: unknown task prefix 'NOPE'; known: ANALYZE, ARCH"),
        (["key: DRAFT-001, role: analyst"], "prefix 'DRAFT' belongs to role 'writer'"),
        (["key: DRAFT-001", "key: DRAFT-001"], "duplicate id DRAFT-001"),
        (["key: DRAFT-001, round: DISCUSS-009"], "unknown round 'DISCUSS-009'"),
        (["key: DRAFT-001, blocked_by: [DRAFT-002]", "key: DRAFT-002, blocked_by: [DRAFT-001]"], "no start"),
        ([], "has no tasks"),
        (
            [
                "key: RESEARCH-001",
                "key: DRAFT-001, blocked_by: [DRAFT-002]",
                "key: DRAFT-002, blocked_by: [DRAFT-001]",
                "key: QUALITY-001, blocked_by: [DRAFT-002]",
            ],
            "unreachable: QUALITY-001 waits for a cycle",
        ),
        (["key: draft-1"], "'draft-1' is not a task id"),
        (["key: DRAFT-001-R1"], "'DRAFT-001-R1' is not a task id"),
        (
            ["key: DRAFT-001, round: DISCUSS-002", "key: DRAFT-002, round: DISCUSS-002"],
            "is the round of DRAFT-001 and",
        ),
        (["key: DRAFT-001, blockedby: []"], "did you mean 'blocked_by'?"),
        (["blocked_by: []"], "expected text, found nothing"),
    ],
)
def test_a_pipeline_with_a_fault_is_refused(tmp_path: Path, tasks: list[str], fault: str) -> None:
    found = faults(tmp_path, pipeline(*tasks))

    assert any(fault in one for one in found), found
    assert all(one.startswith("mine.yaml:") for one in found)


def test_faults_name_the_line_of_their_task(tmp_path: Path) -> None:
    found = faults(tmp_path, pipeline("key: DRAFT-001", "key: DRAFT-002, blocked_by: [DRAFT-009]"))

    assert found[0].startswith("mine.yaml:6: ")


@pytest.mark.parametrize(("count", "refused"), [(5_000, False), (5_001, True)])
def test_a_pipeline_has_at_most_five_thousand_tasks(tmp_path: Path, count: int, refused: bool) -> None:
    from orchestrator.domain.graph import graph_faults
    from orchestrator.domain.model import TaskDef

    tasks = [TaskDef("T-0", "writer", "T")]
    tasks += [TaskDef(f"T-{n}", "writer", "T", blocked_by=(f"T-{n - 1}",)) for n in range(1, count)]

    assert bool(graph_faults(tasks)) == refused


def test_pipelines_that_are_parts_of_each_other_are_a_cycle(tmp_path: Path) -> None:
    text = "extends: default\npipelines:\n  a: {parts: [b]}\n  b: {parts: [a]}\n"

    assert any("cycle: a > b > a" in one for one in faults(tmp_path, text))


def test_all_faults_of_all_kinds_are_told_at_once(tmp_path: Path) -> None:
    found = faults(
        tmp_path,
        "extends: default\nroles:\n  writer:\n    agnts: [x]\ngates:\n  pass_score: high\n"
        "pipelines:\n  mine:\n    tasks:\n      - {key: NOPE-001, blocked_by: [DRAFT-009]}\n",
    )

    assert [one.split(": ")[0] for one in found] == [
        "mine.yaml:4",
        "mine.yaml:10",
        "mine.yaml:10",
        "mine.yaml:9",
        "mine.yaml:6",
    ]


def test_a_pack_extends_the_shipped_one(tmp_path: Path) -> None:
    write(
        tmp_path,
        pipeline("key: RESEARCH-001", "key: DRAFT-001, blocked_by: [RESEARCH-001], round: DISCUSS-002"),
    )
    write(
        tmp_path,
        "extends: default\nroles: {writer: {agents: [mine]}}\ngates: {consensus_threshold: 3.5}\n",
        "z.yaml",
    )

    pack = load_pack(tmp_path, NONE)

    assert [task.key for task in expand(pack, "mine").tasks] == ["RESEARCH-001", "DRAFT-001"]
    assert (pack.roles["writer"].agents, pack.roles["writer"].inner_loop) == (("mine",), True)
    assert pack.gates.consensus_threshold == 3.5
    assert len(expand(pack, "spec-only").tasks) == 6


def test_the_project_comes_after_the_user(tmp_path: Path) -> None:
    user, project = tmp_path / "user", tmp_path / "project"
    for folder, value in ((user / "packs", 3.2), (project / ".workflow" / "packs", 3.4)):
        folder.mkdir(parents=True)
        (folder / "a.yaml").write_text(
            f"extends: default\ngates: {{consensus_threshold: {value}, improve_target: 90}}\n"
        )
    (project / ".workflow" / "packs" / "a.yaml").write_text(
        "extends: default\ngates: {consensus_threshold: 3.4}\n"
    )

    gates = load_pack(project, {"LIFECYCLE_CONFIG_DIR": str(user)}).gates

    assert (gates.consensus_threshold, gates.improve_target) == (3.4, 90)


def test_a_session_keeps_its_pipeline_when_the_pack_is_deleted(tmp_path: Path) -> None:
    path = write(tmp_path, pipeline("key: RESEARCH-001"))
    pack = load_pack(tmp_path, NONE)
    kept = json.dumps(to_snapshot(pack, expand(pack, "mine")))
    path.unlink()

    _, again = from_snapshot(json.loads(kept))

    assert "mine" not in load_pack(tmp_path, NONE).pipelines
    assert [task.key for task in again.tasks] == ["RESEARCH-001"]


def test_the_shipped_files_are_found() -> None:
    assert (resources() / "config" / "pipelines.yaml").is_file()
