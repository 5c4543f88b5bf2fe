"""revise, feedback, recheck and improve, on sessions that are finished, half way, and at work."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from tests.e2e.court import Court, court, ids

WISH = "Visitors must be able to export a QR code for every link"
CHAIN = ["DRAFT-002-R1", "DRAFT-003-R1", "DRAFT-004-R1", "QUALITY-001-R1"]


@pytest.fixture(scope="module")
def judged(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Court]:
    with court(tmp_path_factory.mktemp("rework")) as made:
        yield made


def test_revising_a_finished_session_carries_a_wish_through_the_documents_behind(judged: Court) -> None:
    session, gave = judged.start({})
    assert gave.code == 0, gave.err
    before = judged.digests(session)
    old = ids(judged.document(session, "spec/requirements"), "REQ")

    revised = judged.project.run("revise", "DRAFT-002", WISH, "--session", session)

    assert revised.code == 0, revised.err
    assert judged.order(session)[-4:] == CHAIN
    assert judged.blockers(session, "DRAFT-002-R1") == {"DRAFT-002"}
    for key, before_it in zip(CHAIN[1:], CHAIN[:3], strict=True):
        assert judged.blockers(session, key) == {before_it}
    new = ids(judged.document(session, "spec/requirements"), "REQ") - old
    assert len(new) == 1, new
    name = new.pop()
    assert "QR code" in judged.file(session, path_of(judged, session, "spec/requirements/", name))
    behind = judged.document(session, "spec/architecture") + judged.document(session, "spec/epics")
    assert name in behind
    after = judged.digests(session)
    items = [path for path in before if re.search(r"/(REQ|NFR|ADR|EPIC)-", path)]
    untouched = [path for path in items if name not in judged.file(session, path)]
    assert {path: after[path] for path in untouched} == {path: before[path] for path in untouched}
    assert all(path in untouched for path in items if "/requirements/" in path)
    assert judged.project.status(session) == ("completed", None)
    assert judged.file(session, "discussions/DISCUSS-003-R1-discussion.md")


def test_a_third_revision_needs_force(judged: Court) -> None:
    session, _ = judged.start({}, "--discuss", "off")
    for key, words in (
        ("DRAFT-003", "a cascade does not count"),
        ("DRAFT-004", "Shorter"),
        ("DRAFT-004", "Longer"),
    ):
        assert judged.project.run("revise", key, words, "--session", session).code == 0
    before = judged.project.tasks(session), judged.decisions(session)

    refused = judged.project.run("revise", "DRAFT-004", "As it was", "--session", session)

    assert refused.code == 2 and "--force" in refused.err
    assert (judged.project.tasks(session), judged.decisions(session)) == before
    assert judged.project.status(session) == ("completed", None)
    forced = judged.project.run("revise", "DRAFT-004", "As it was", "--session", session, "--force")
    assert forced.code == 0, forced.err
    assert judged.project.tasks(session)["DRAFT-004-R4"] == "completed"
    assert judged.decisions(session)[-1] == ("revise DRAFT-004", "As it was", None, True)
    again = ("feedback", "DRAFT-004 once more", "--session", session)
    told = judged.project.run(*again)
    assert told.code == 2 and 'lifecycle feedback "..." --task DRAFT-004 --force' in told.err
    done = judged.project.run(*again, "--force")
    assert done.code == 0, done.err
    assert judged.project.tasks(session)["DRAFT-004-R5"] == "completed"
    assert judged.decisions(session)[-1] == ("feedback", "DRAFT-004 once more", None, True)


def test_revising_while_the_check_is_pending_makes_no_second_check(judged: Court) -> None:
    wait, gate = judged.hold("check-pending")
    session, _ = judged.start({"DRAFT-004/epics": wait}, "--detach")
    judged.wait_asked(session, "DRAFT-004", "epics")
    assert judged.project.run("pause", session).code == 0
    gate.touch()
    judged.project.wait(
        lambda: judged.project.tasks(session)["DRAFT-004"] == "completed", "DRAFT-004 is written"
    )

    revised = judged.project.run("revise", "DRAFT-002", WISH, "--session", session, "--detach")

    assert revised.code in (0, 3), revised.err
    assert judged.project.status(session) == ("paused", "user")  # it stays with the person who paused it
    assert judged.blockers(session, "QUALITY-001") == {"DRAFT-004", "DRAFT-004-R1"}
    assert judged.project.run("resume", session).code == 0
    assert judged.order(session)[-4:] == [*CHAIN[:3], "QUALITY-001"]
    assert not any(key.startswith("QUALITY-001-R") for key in judged.project.tasks(session))


def test_revising_takes_back_what_runs_on_the_old_document(judged: Court) -> None:
    wait, gate = judged.hold("draft-running")
    session, _ = judged.start({"DRAFT-003/architecture": wait}, "--detach")
    judged.wait_asked(session, "DRAFT-003", "architecture")

    revised = judged.project.run("revise", "DRAFT-002", WISH, "--session", session, "--detach")
    judged.project.wait(
        lambda: judged.project.story("DRAFT-003", session)[:1] == ["released"], "its run is released"
    )
    gate.touch()
    judged.project.wait(lambda: judged.project.status(session)[0] == "completed", "it is completed")

    tasks = judged.project.tasks(session)
    assert revised.code == 0, revised.err
    assert "DRAFT-002-R1" in tasks and "DRAFT-003-R1" not in tasks and "QUALITY-001-R1" not in tasks
    assert judged.project.story("DRAFT-003", session) == ["released", "completed"]
    assert judged.attempts(session, "DRAFT-003") == 0
    assert judged.order(session)[-4:] == ["DRAFT-002-R1", "DRAFT-003", "DRAFT-004", "QUALITY-001"]
    wished = path_of(judged, session, "spec/requirements/", "REQ", "QR code")
    assert wished.split("/")[-1][:7] in judged.document(session, "spec/epics")


def test_feedback_goes_to_the_earliest_document_its_words_name(judged: Court) -> None:
    wait, gate = judged.hold("feedback")
    session, _ = judged.start({"DRAFT-002/requirements": wait}, "--detach")
    judged.wait_asked(session, "DRAFT-002", "requirements")

    to = ("--session", session, "--detach")
    pending = judged.project.run("feedback", "The component names should be short", *to)
    running = judged.project.run("feedback", f"One more requirement: {WISH}", *to)
    judged.project.wait(
        lambda: judged.project.story("DRAFT-002", session)[:1] == ["released"], "it is released"
    )
    judged.plan({})
    gate.touch()
    judged.project.wait(lambda: judged.project.status(session)[0] == "completed", "it is completed")

    assert (pending.code, running.code) == (0, 0), pending.err + running.err
    assert "add DRAFT-003" in pending.err and "restart DRAFT-002" in running.err
    assert not any("-R" in key for key in judged.project.tasks(session))
    assert judged.project.story("DRAFT-002", session) == ["released", "completed"]
    assert judged.attempts(session, "DRAFT-002") == 0
    assert "The component names should be short" in judged.asked(session, "DRAFT-003", "architecture")
    assert "QR code" in judged.document(session, "spec/requirements")

    finished = judged.project.run("feedback", "The vision forgets schools", "--session", session)

    assert finished.code == 0, finished.err
    assert "revise DRAFT-001" in finished.err
    assert judged.order(session)[-5:] == ["DRAFT-001-R1", *CHAIN]
    assert "The vision forgets schools" in judged.asked(session, "DRAFT-001-R1", "brief")
    decisions = judged.file(session, "wisdom/decisions.md")
    assert all(word in decisions for word in ("component names", "QR code", "forgets schools"))


def test_an_item_is_no_task_and_its_document_is_told(judged: Court) -> None:
    session, _ = judged.start({}, "--discuss", "off")

    refused = judged.project.run("revise", "req-001", WISH, "--session", session)

    assert refused.code == 2
    assert 'it belongs to DRAFT-002: `lifecycle revise DRAFT-002 "REQ-001: what to change"`' in " ".join(
        refused.err.split()
    )
    assert judged.decisions(session) == []


def test_recheck_and_improve_score_again(judged: Court) -> None:
    session, _ = judged.start({}, "--discuss", "off")

    rechecked = judged.project.run("recheck", "--session", session)
    improved = judged.project.run("improve", "coverage", "--session", session)
    unknown = judged.project.run("improve", "beauty", "--session", session)
    weakest = judged.project.run("improve", "--session", session)

    tasks = judged.project.tasks(session)
    assert (rechecked.code, improved.code, unknown.code, weakest.code) == (0, 0, 2, 0)
    assert "completeness" in unknown.err
    assert "IMPROVE-coverage-001: coverage 100.0 % -> 100.0 %: nothing gained" in improved.out
    assert "lifecycle improve" in rechecked.out and "lifecycle improve" not in improved.out
    assert judged.project.run("show", session, "--json").json()["scores"]["improved"]["task"] in tasks
    made = [
        key for key in tasks if key not in ("RESEARCH-001", "QUALITY-001") and not key.startswith("DRAFT")
    ]
    assert made[:3] == ["QUALITY-001-R1", "IMPROVE-coverage-001", "QUALITY-001-R2"]
    lowest = made[3]
    assert re.fullmatch(r"IMPROVE-[a-z]+-00[12]", lowest) and made[4:] == ["QUALITY-001-R3"]
    assert judged.order(session)[-5:] == made
    assert set(tasks.values()) == {"completed"}
    prompt = judged.asked(session, "IMPROVE-coverage-001", "requirements")
    assert "Raise the coverage of this document to at least 80" in prompt
    assert judged.project.status(session) == ("completed", None)

    revised = judged.project.run("revise", "IMPROVE-coverage-001", WISH, "--session", session)

    assert revised.code == 0, revised.err
    assert judged.order(session)[-2:] == ["IMPROVE-coverage-001-R1", "QUALITY-001-R4"]
    assert "QR code" in judged.document(session, "spec/requirements")


def test_what_is_not_completed_cannot_be_revised(judged: Court) -> None:
    wait, gate = judged.hold("not-completed")
    session, _ = judged.start({"DRAFT-002/requirements": wait}, "--detach")
    judged.wait_asked(session, "DRAFT-002", "requirements")
    before = judged.project.tasks(session)

    running = judged.project.run("revise", "DRAFT-002", WISH, "--session", session)
    pending = judged.project.run("revise", "DRAFT-003", WISH, "--session", session)
    early = [judged.project.run(command, "--session", session) for command in ("recheck", "improve")]

    assert (running.code, pending.code) == (2, 2)
    assert "DRAFT-002 is in_progress" in running.err and "DRAFT-003 is pending" in pending.err
    assert [each.code for each in early] == [2, 2]
    assert judged.project.tasks(session) == before
    gate.touch()


def path_of(judged: Court, session: str, folder: str, name: str, holds: str = "") -> str:
    """The one file of an item, by its identifier or what it says."""
    paths = [p for p in judged.digests(session) if p.startswith(f"{folder}{name}") and p.endswith(".md")]
    found = [path for path in paths if holds in judged.file(session, path)]
    assert len(found) == 1, paths
    return found[0]


def test_priority_that_was_edited_by_hand_reaches_the_index_and_outlives_feedback(judged: Court) -> None:
    session, _ = judged.start({}, "--discuss", "off")
    folder = judged.project.directory(session) / "spec" / "requirements"
    page = next(folder.glob("REQ-002*.md"))
    edited = page.read_text().replace("Priority: Must", "Priority: Could") + "\nA note of my own.\n"
    page.write_text(edited)

    first = judged.project.run("feedback", WISH, "--task", "DRAFT-002", "--session", session)
    kept = judged.file(session, f"spec/requirements/{page.name}")
    second = judged.project.run("feedback", "REQ-001 is a Should", "--session", session)

    assert (first.code, second.code) == (0, 0), first.err + second.err
    assert kept == edited
    index = judged.file(session, "spec/requirements/_index.md")
    (row,) = re.findall(r"^\| \[REQ-002\]\([^|]+\| [^|]+\| (\w+) \|", index, re.MULTILINE)
    assert row == "Could"
    assert "Priority: Could" in judged.file(session, f"spec/requirements/{page.name}")
    assert "REQ-002: moscow = Could" in judged.file(session, "wisdom/decisions.md")
    assert "REQ-002: Must -> Could" in first.err
    assert "REQ-001: Must -> Should" in second.err


def test_edits_of_several_kinds_of_sections_are_there_after_a_revision_or_named(judged: Court) -> None:
    session, _ = judged.start({}, "--discuss", "off")
    folder = judged.project.directory(session) / "spec"
    brief, design = folder / "product-brief.md", folder / "architecture" / "_index.md"
    problem = "Nobody knows which of our 900 links are still used."
    brief.write_text(
        re.sub(
            r"(<!-- section: problem -->\n## Problem\n).*?(?=<!-- section)",
            rf"\1\n{problem}\n\n",
            brief.read_text(),
            flags=re.DOTALL,
        )
    )
    row, entry = "| language | Go 1.22 | we said so | stated |", "- Attributes: owner, last visit"
    page = re.sub(
        r"(<!-- section: stack -->\n## Technology stack\n).*?(?=<!-- section)",
        rf"\1\n| Layer | Choice | Rationale | Source |\n| --- | --- | --- | --- |\n{row}\n\n",
        design.read_text(),
        flags=re.DOTALL,
    )
    added = f"### Ledger\n\n{entry}\n- Kept <b>for ever</b>\n\n<!-- section: api -->"
    design.write_text(page.replace("<!-- section: api -->", added))

    first = judged.project.run("feedback", WISH, "--task", "DRAFT-001", "--session", session)
    second = judged.project.run("revise", "DRAFT-003", "Links must be checked daily", "--session", session)

    assert (first.code, second.code) == (0, 0), first.err + second.err
    assert problem in judged.file(session, "spec/product-brief.md")
    now = judged.file(session, "spec/architecture/_index.md")
    assert row in now
    assert f"### Ledger\n\n{entry}\n" in now
    lost = "Not carried over from your edit of spec/architecture/_index.md: “Kept <b>for ever</b>”"
    assert lost in first.err
    assert lost in " ".join(first.out.partition("Left open of what you said or edited")[2].split())
    assert "Not carried over" not in second.out
    assert "Not carried over" in now[now.index("<!-- section: open_questions -->") :]
    assert entry.strip("- ") in judged.file(session, "wisdom/decisions.md")


def test_without_words_a_document_is_revised_only_where_a_person_has_edited_one(judged: Court) -> None:
    session, _ = judged.start({}, "--discuss", "off")
    before = judged.order(session)

    refused = judged.project.run("revise", "DRAFT-002", "--session", session)
    after = judged.order(session)
    page = next((judged.project.directory(session) / "spec" / "requirements").glob("REQ-001*.md"))
    page.write_text(page.read_text().replace("Priority: Must", "Priority: Could"))
    followed = judged.project.run("revise", "DRAFT-002", "--session", session)
    again = judged.project.run("revise", "DRAFT-002", "--session", session)

    assert refused.code == 2
    assert 'lifecycle revise DRAFT-002 "what to change"' in refused.err
    assert after == before
    assert followed.code == 0, followed.err
    assert "| Could |" in judged.file(session, "spec/requirements/_index.md")
    assert again.code == 2, again.err
    assert judged.order(session)[len(before) :] == CHAIN
