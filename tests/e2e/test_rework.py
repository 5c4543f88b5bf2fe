"""revise, feedback, recheck and improve, on sessions that are finished, half way, and at work."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from tests.e2e.court import Court, court, ids

WISH = "Visitors must be able to export a QR code for every link"
CHAIN = ["DRAFT-002-R1", "DRAFT-003-R1", "DRAFT-004-R1", "QUALITY-001-R1"]


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Court]:
    with court(tmp_path_factory.mktemp("rework")) as made:
        yield made


def test_revising_a_finished_session_carries_a_wish_through_the_documents_behind(desk: Court) -> None:
    session, gave = desk.start({})
    assert gave.code == 0, gave.err
    before = desk.digests(session)
    old = ids(desk.document(session, "spec/requirements"), "REQ")

    revised = desk.project.run("revise", "DRAFT-002", WISH, "--session", session)

    assert revised.code == 0, revised.err
    assert desk.order(session)[-4:] == CHAIN
    assert desk.blockers(session, "DRAFT-002-R1") == {"DRAFT-002"}
    for key, before_it in zip(CHAIN[1:], CHAIN[:3], strict=True):
        assert desk.blockers(session, key) == {before_it}
    new = ids(desk.document(session, "spec/requirements"), "REQ") - old
    assert len(new) == 1, new
    name = new.pop()
    assert "QR code" in desk.file(session, path_of(desk, session, "spec/requirements/", name))
    behind = desk.document(session, "spec/architecture") + desk.document(session, "spec/epics")
    assert name in behind
    after = desk.digests(session)
    items = [path for path in before if re.search(r"/(REQ|NFR|ADR|EPIC)-", path)]
    untouched = [path for path in items if name not in desk.file(session, path)]
    assert {path: after[path] for path in untouched} == {path: before[path] for path in untouched}
    assert all(path in untouched for path in items if "/requirements/" in path)
    assert desk.project.status(session) == ("completed", None)
    assert desk.file(session, "discussions/DISCUSS-003-R1-discussion.md")


def test_a_third_revision_needs_force(desk: Court) -> None:
    session, _ = desk.start({}, "--discuss", "off")
    for key, words in (
        ("DRAFT-003", "a cascade does not count"),
        ("DRAFT-004", "Shorter"),
        ("DRAFT-004", "Longer"),
    ):
        assert desk.project.run("revise", key, words, "--session", session).code == 0
    before = desk.project.tasks(session), desk.decisions(session)

    refused = desk.project.run("revise", "DRAFT-004", "As it was", "--session", session)

    assert refused.code == 2 and "--force" in refused.err
    assert (desk.project.tasks(session), desk.decisions(session)) == before
    assert desk.project.status(session) == ("completed", None)
    forced = desk.project.run("revise", "DRAFT-004", "As it was", "--session", session, "--force")
    assert forced.code == 0, forced.err
    assert desk.project.tasks(session)["DRAFT-004-R4"] == "completed"
    assert desk.decisions(session)[-1] == ("revise DRAFT-004", "As it was", None, True)


def test_revising_while_the_check_is_pending_makes_no_second_check(desk: Court) -> None:
    wait, gate = desk.hold("check-pending")
    session, _ = desk.start({"DRAFT-004/epics": wait}, "--detach")
    desk.wait_asked(session, "DRAFT-004", "epics")
    assert desk.project.run("pause", session).code == 0
    gate.touch()
    desk.project.wait(lambda: desk.project.tasks(session)["DRAFT-004"] == "completed", "DRAFT-004 is written")

    revised = desk.project.run("revise", "DRAFT-002", WISH, "--session", session, "--detach")

    assert revised.code in (0, 3), revised.err
    assert desk.project.status(session) == ("paused", "user")  # it stays with the person who paused it
    assert desk.blockers(session, "QUALITY-001") == {"DRAFT-004", "DRAFT-004-R1"}
    assert desk.project.run("resume", session).code == 0
    assert desk.order(session)[-4:] == [*CHAIN[:3], "QUALITY-001"]
    assert not any(key.startswith("QUALITY-001-R") for key in desk.project.tasks(session))


def test_revising_takes_back_what_runs_on_the_old_document(desk: Court) -> None:
    wait, gate = desk.hold("draft-running")
    session, _ = desk.start({"DRAFT-003/architecture": wait}, "--detach")
    desk.wait_asked(session, "DRAFT-003", "architecture")

    revised = desk.project.run("revise", "DRAFT-002", WISH, "--session", session, "--detach")
    desk.project.wait(
        lambda: desk.project.story("DRAFT-003", session)[:1] == ["released"], "its run is given back"
    )
    gate.touch()
    desk.project.wait(lambda: desk.project.status(session)[0] == "completed", "it is completed")

    tasks = desk.project.tasks(session)
    assert revised.code == 0, revised.err
    assert "DRAFT-002-R1" in tasks and "DRAFT-003-R1" not in tasks and "QUALITY-001-R1" not in tasks
    assert desk.project.story("DRAFT-003", session) == ["released", "completed"]
    assert desk.attempts(session, "DRAFT-003") == 0
    assert desk.order(session)[-4:] == ["DRAFT-002-R1", "DRAFT-003", "DRAFT-004", "QUALITY-001"]
    wished = path_of(desk, session, "spec/requirements/", "REQ", "QR code")
    assert wished.split("/")[-1][:7] in desk.document(session, "spec/epics")


def test_feedback_goes_to_the_earliest_document_its_words_name(desk: Court) -> None:
    wait, gate = desk.hold("feedback")
    session, _ = desk.start({"DRAFT-002/requirements": wait}, "--detach")
    desk.wait_asked(session, "DRAFT-002", "requirements")

    to = ("--session", session, "--detach")
    pending = desk.project.run("feedback", "The component names should be short", *to)
    running = desk.project.run("feedback", f"One more requirement: {WISH}", *to)
    desk.project.wait(
        lambda: desk.project.story("DRAFT-002", session)[:1] == ["released"], "it is given back"
    )
    desk.plan({})
    gate.touch()
    desk.project.wait(lambda: desk.project.status(session)[0] == "completed", "it is completed")

    assert (pending.code, running.code) == (0, 0), pending.err + running.err
    assert "add DRAFT-003" in pending.err and "restart DRAFT-002" in running.err
    assert not any("-R" in key for key in desk.project.tasks(session))
    assert desk.project.story("DRAFT-002", session) == ["released", "completed"]
    assert desk.attempts(session, "DRAFT-002") == 0
    assert "The component names should be short" in desk.asked(session, "DRAFT-003", "architecture")
    assert "QR code" in desk.document(session, "spec/requirements")

    finished = desk.project.run("feedback", "The vision forgets schools", "--session", session)

    assert finished.code == 0, finished.err
    assert "revise DRAFT-001" in finished.err
    assert desk.order(session)[-5:] == ["DRAFT-001-R1", *CHAIN]
    assert "The vision forgets schools" in desk.asked(session, "DRAFT-001-R1", "brief")
    decisions = desk.file(session, "wisdom/decisions.md")
    assert all(word in decisions for word in ("component names", "QR code", "forgets schools"))


def test_recheck_and_improve_score_again(desk: Court) -> None:
    session, _ = desk.start({}, "--discuss", "off")

    rechecked = desk.project.run("recheck", "--session", session)
    improved = desk.project.run("improve", "coverage", "--session", session)
    unknown = desk.project.run("improve", "beauty", "--session", session)
    weakest = desk.project.run("improve", "--session", session)

    tasks = desk.project.tasks(session)
    assert (rechecked.code, improved.code, unknown.code, weakest.code) == (0, 0, 2, 0)
    assert "completeness" in unknown.err
    made = [
        key for key in tasks if key not in ("RESEARCH-001", "QUALITY-001") and not key.startswith("DRAFT")
    ]
    assert made[:3] == ["QUALITY-001-R1", "IMPROVE-coverage-001", "QUALITY-001-R2"]
    lowest = made[3]
    assert re.fullmatch(r"IMPROVE-[a-z]+-00[12]", lowest) and made[4:] == ["QUALITY-001-R3"]
    assert desk.order(session)[-5:] == made
    assert set(tasks.values()) == {"completed"}
    prompt = desk.asked(session, "IMPROVE-coverage-001", "requirements")
    assert "Raise the coverage of this document to at least 80" in prompt
    assert desk.project.status(session) == ("completed", None)

    revised = desk.project.run("revise", "IMPROVE-coverage-001", WISH, "--session", session)

    assert revised.code == 0, revised.err
    assert desk.order(session)[-2:] == ["IMPROVE-coverage-001-R1", "QUALITY-001-R4"]
    assert "QR code" in desk.document(session, "spec/requirements")


def test_what_is_not_completed_cannot_be_revised(desk: Court) -> None:
    wait, gate = desk.hold("not-completed")
    session, _ = desk.start({"DRAFT-002/requirements": wait}, "--detach")
    desk.wait_asked(session, "DRAFT-002", "requirements")
    before = desk.project.tasks(session)

    running = desk.project.run("revise", "DRAFT-002", WISH, "--session", session)
    pending = desk.project.run("revise", "DRAFT-003", WISH, "--session", session)
    early = [desk.project.run(command, "--session", session) for command in ("recheck", "improve")]

    assert (running.code, pending.code) == (2, 2)
    assert "DRAFT-002 is in_progress" in running.err and "DRAFT-003 is pending" in pending.err
    assert [each.code for each in early] == [2, 2]
    assert desk.project.tasks(session) == before
    gate.touch()


def path_of(desk: Court, session: str, folder: str, name: str, holds: str = "") -> str:
    """The one file of an item, by its identifier or what it says."""
    paths = [p for p in desk.digests(session) if p.startswith(f"{folder}{name}") and p.endswith(".md")]
    found = [path for path in paths if holds in desk.file(session, path)]
    assert len(found) == 1, paths
    return found[0]
