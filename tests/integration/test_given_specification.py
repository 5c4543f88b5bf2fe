"""A session that is given a specification: a folder, a Markdown file, or that of a finished session (docs/planning.md)."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from orchestrator.commands.specification import (
    Specification,
    check_about,
    newest_specification,
    read_specification,
)
from orchestrator.commands.start import start
from orchestrator.domain.errors import NotAllowedNow, UsageError
from orchestrator.domain.plan import PLAN
from orchestrator.store import artifacts, sessions
from orchestrator.store.store import Store
from orchestrator.views.layout import StartOptions, plan
from tests import factories as make
from tests import invariants
from tests.plans import changes, coding_pack, content, planning
from tests.runtime_harness import Told

PAGE = "# Names\n\nREQ-001: The service must return 404 for an unknown name.\n"
WITH_SPEC = make.shipped_pack().pipelines["impl-only"]


def read(path: Path, **environ: str) -> Specification:
    return read_specification(path, path.name, environ)


def test_a_markdown_file_becomes_one_page(tmp_path: Path) -> None:
    (tmp_path / "idea.md").write_text(PAGE)

    found = read(tmp_path / "idea.md")

    assert found.files == {"spec/specification.md": PAGE.encode()}


def test_a_session_s_folder_is_taken_whole_and_hidden_files_are_not(tmp_path: Path) -> None:
    spec = tmp_path / "TLS-x" / "spec"
    for name, text in {
        "product-brief.md": PAGE,
        "requirements/_index.md": PAGE,
        ".content/requirements.json": '{"document": "requirements", "content": {}, "files": {}}',
        ".content/readiness.json": '{"document": "readiness", "gate": "PASS", "total": 90.0, "bars": []}',
        ".git/config.md": "x",
        "notes.txt": "x",
    }.items():
        (spec / name).parent.mkdir(parents=True, exist_ok=True)
        (spec / name).write_text(text)
    (spec / "link.md").symlink_to("/etc/passwd")

    assert set(read(tmp_path / "TLS-x").files) == {
        "spec/product-brief.md",
        "spec/requirements/_index.md",
        "spec/.content/requirements.json",
        "spec/.content/readiness.json",
    }


def test_secrets_are_masked_before_they_are_kept(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("# A\n\nThe key is hunter2hunter2.\n")

    found = read(tmp_path / "a.md", MY_API_KEY="hunter2hunter2")

    assert b"hunter2" not in found.files["spec/specification.md"]


@pytest.mark.parametrize(
    ("make_it", "said"),
    [
        (lambda path: None, "there is no such file"),
        (lambda path: path.mkdir(), "no Markdown file"),
        (lambda path: path.with_suffix(".pdf").write_bytes(b"x"), "neither a folder nor a Markdown file"),
        (lambda path: path.with_suffix(".md").write_bytes(b"\xff\xfe"), "is not UTF-8"),
        (lambda path: path.with_suffix(".md").write_bytes(b"a\0b"), "is binary"),
        (lambda path: path.with_suffix(".md").write_bytes(b" \n"), "is empty"),
        (lambda path: path.with_suffix(".md").write_bytes(b"x" * 2_000_000), "over the limit"),
        (lambda path: path.with_suffix(".md").symlink_to("/etc/passwd"), "a link"),
        (lambda path: os.mkfifo(path.with_suffix(".md")), "not a plain file"),
        (
            lambda path: _folder(path, {"a.md": PAGE, ".content/requirements.json": "[]"}),
            "is no content of a document",
        ),
        (lambda path: _folder(path, {"a.md": PAGE, "b.json": "{"}), "is no JSON"),
    ],
)
def test_what_can_be_no_specification_is_refused(tmp_path: Path, make_it: Any, said: str) -> None:
    path = tmp_path / "given"
    make_it(path)
    made = next(tmp_path.iterdir(), path)

    with pytest.raises(UsageError) as refused:
        read(made)

    assert said in "\n".join(refused.value.lines())
    assert refused.value.exit_code == 2


def _folder(path: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (path / name).parent.mkdir(parents=True, exist_ok=True)
        (path / name).write_text(text)


def test_the_newest_finished_session_s_specification_is_found(tmp_path: Path) -> None:
    store = make.make_store(tmp_path)
    older, newer = (make.make_session(store, f"Some work {n}") for n in (1, 2))
    for session in (older, newer):
        _register(store, session)
    store.write(lambda tx: sessions.complete(tx, older))

    found = store.read(newest_specification)

    assert found is not None
    assert (found.source, dict(found.files)) == (older, {"spec/product-brief.md": PAGE.encode()})


def _register(store: Store, session: str) -> None:
    def unit(tx: Any) -> None:
        body = PAGE.encode()
        artifacts.register(
            tx,
            session,
            "spec/product-brief.md",
            artifacts.put(tx, body),
            len(body),
            "document",
            author="writer",
            task=None,
            run=None,
        )

    store.write(unit)


def test_a_plan_cites_the_ids_of_the_page_that_was_given(tmp_path: Path) -> None:
    cited = content(changes(1, "src/app.py", refs=["REQ-001"]), changes(2, "src/other.py", refs=["REQ-002"]))
    good = content(changes(1, "src/app.py", refs=["REQ-001"]))
    left = [cited, good]
    agent = Told("planning", {"plan": lambda _: left.pop(0)})
    harness = planning(
        tmp_path, agent, spec=Specification("idea.md", {"spec/specification.md": PAGE.encode()})
    )

    harness.run()

    assert json.loads(harness.text(PLAN))["task_ids"] == ["TASK-001"]
    assert "The service must return 404" in agent.requests[0].prompt
    assert "cites 'REQ-002'" in agent.requests[1].prompt
    invariants.check(harness.store.path)


def test_a_plan_by_rule_takes_its_criteria_from_the_page(tmp_path: Path) -> None:
    given = "# Names\n\n- **REQ-001** (Must): `get(name)` returns 404 for an unknown name.\n\nREQ-002: Names are nice.\n"
    (tmp_path / "idea.md").write_text(given)
    harness = planning(tmp_path, request="Names", spec=read(tmp_path / "idea.md"))

    harness.run()

    task = json.loads(harness.text("plan/.task/TASK-001.json"))
    (criterion,) = task["convergence"]["criteria"]
    assert (criterion["text"], criterion["refs"]) == (
        "`get(name)` returns 404 for an unknown name",
        ["REQ-001"],
    )
    assert task["refs"] == ["REQ-001", "REQ-002"] and "Names are nice" in task["description"]


def test_a_plan_by_rule_of_a_page_without_anything_to_test_is_accepted(tmp_path: Path) -> None:
    (tmp_path / "idea.md").write_text("# Names\n\nNames are nice.\n")
    harness = planning(tmp_path, request="Names", spec=read(tmp_path / "idea.md"))

    harness.run()

    (criterion,) = json.loads(harness.text("plan/.task/TASK-001.json"))["convergence"]["criteria"]
    assert "none of them fails" in criterion["text"]


def test_a_mode_that_needs_a_specification_wants_one(tmp_path: Path) -> None:
    pack = coding_pack()
    needing = {**pack.pipelines, "impl-only": WITH_SPEC}
    pack = replace(pack, pipelines=needing)

    with pytest.raises(NotAllowedNow, match="needs a specification"):
        plan("x", StartOptions("impl-only"), pack, tmp_path)
    with pytest.raises(UsageError, match="makes a specification of its own"):
        plan("x", StartOptions("spec-only", spec="d"), pack, tmp_path)
    assert plan("x", StartOptions("impl-only", spec="d"), pack, tmp_path).choice.mode == "impl-only"
    assert plan("x", StartOptions(spec="d"), pack, tmp_path).choice.mode == "impl-only"


def test_a_key_with_another_specification_is_another_request(tmp_path: Path) -> None:
    pack, store = coding_pack(), make.make_store(tmp_path)

    def begin(text: bytes) -> str:
        given = Specification("a.md", {"spec/specification.md": text})
        planned = plan("x", StartOptions("impl-only", spec=given.digest), pack, tmp_path)
        return start(store, planned, project=tmp_path, max_attempts=3, key="k", specification=given).session

    assert begin(b"# A\n") == begin(b"# A\n")
    with pytest.raises(UsageError):
        begin(b"# B\n")


@pytest.mark.parametrize(
    ("request_", "taken"),
    [
        ("Build it", True),
        ("Implement the booking of rooms", True),
        ("Build what the rooms page says", True),
        ("做一个订房应用", True),
        ("A chess clock for two players", False),
        ("Add CSV export to the report page", False),
    ],
)
def test_specification_that_was_found_has_to_be_about_the_request(request_: str, taken: bool) -> None:
    page = b"# Rooms\n\nPeople book a room for an hour. The page of a room shows its bookings.\n"
    report = b"# Readiness Report\n\nThe export of the report is PASS.\n"
    found = Specification("TLS-rooms", {"spec/specification.md": page, "spec/readiness-report.md": report})

    if taken:
        check_about(found, request_)
    else:
        with pytest.raises(UsageError, match="about something else") as refused:
            check_about(found, request_)
        assert "TLS-rooms" in refused.value.why and "--spec" in refused.value.fix
