"""What a revision changed is said in the messages, whoever writes, and read from there."""

from __future__ import annotations

from pathlib import Path

from orchestrator.commands import rework
from orchestrator.store import messages
from orchestrator.views.revised import revised
from tests.runtime_harness import RuntimeHarness, Told
from tests.work.editing import until_idle


def completed(folder: Path, *agents: Told) -> RuntimeHarness:
    harness = RuntimeHarness(folder, *agents)
    until_idle(harness)
    assert harness.state().status == "completed"
    return harness


def revise(harness: RuntimeHarness, task: str, words: str) -> int:
    """Revise a task; the newest message before."""
    before = harness.state().messages
    rework.revise(harness.store, None, task, words, force=True, who="ann", max_attempts=3)
    until_idle(harness)
    return before


def changes(harness: RuntimeHarness, after: int) -> dict[str, list[str]]:
    found = harness.store.read(lambda tx: revised(tx, harness.session, after))
    return {each["task"]: each["changed"] for each in found["changed"]}


def test_each_revision_says_what_it_changed_and_a_first_version_says_nothing(tmp_path: Path) -> None:
    harness = completed(tmp_path)

    before = revise(harness, "DRAFT-002", "REQ-003 is a Could. Links expire after 60 days.")

    found = changes(harness, 0)
    assert found == changes(harness, before)
    assert list(found) == ["DRAFT-002-R1", "DRAFT-003-R1", "DRAFT-004-R1"]
    assert found["DRAFT-002-R1"] == ["REQ-002: 30 -> 60 days", "REQ-003: Must -> Could"]
    assert "[writer] DRAFT-002-R1 changed: REQ-002: 30 -> 60 days; REQ-003: Must -> Could" in str(
        [text for _, text in harness.said()]
    )


def test_a_revision_that_changed_nothing_says_so(tmp_path: Path) -> None:
    harness = completed(tmp_path)

    before = revise(harness, "DRAFT-002", "Please shorten the titles.")

    assert changes(harness, before)["DRAFT-002-R1"] == []
    assert "[writer] DRAFT-002-R1: nothing changed" in str([text for _, text in harness.said()])


def test_what_another_agent_changed_is_told_in_the_same_way(tmp_path: Path) -> None:
    agent = Told()
    harness = completed(tmp_path, agent)
    known = agent.request("DRAFT-003", "architecture").facts["requirements"]
    first, *others = known.items
    agent.answers["DRAFT-002-R1/requirements"] = known.model_copy(
        update={"items": [first.model_copy(update={"moscow": "Should"}), *others]}
    )

    before = revise(harness, "DRAFT-002", "Make the first one less urgent.")

    assert changes(harness, before)["DRAFT-002-R1"] == [f"{first.id}: Must -> Should"]


def left_open(harness: RuntimeHarness, after: int) -> list[tuple[str, str]]:
    """What is said of a person's words that are not in the documents, each time that it is said."""
    found = harness.store.read(lambda tx: messages.after(tx, harness.session, after))
    return [(row.data["task"], row.data["unmet"]) for row in found if (row.data or {}).get("unmet")]


def test_what_is_not_done_is_said_by_one_document(tmp_path: Path) -> None:
    harness = completed(tmp_path)

    before = revise(harness, "DRAFT-001", "Please shorten the titles. REQ-003 can wait.")

    ((task, text),) = left_open(harness, before)
    assert task == "DRAFT-001-R1" and "Please shorten the titles" in text
    assert changes(harness, before)["DRAFT-002-R1"] == ["REQ-003: Must -> Could"]


def test_what_was_left_open_by_a_document_before_is_said_of_the_one_that_is_asked_now(tmp_path: Path) -> None:
    harness = completed(tmp_path)
    revise(harness, "DRAFT-002", "Please shorten the titles.")

    before = revise(harness, "DRAFT-003", "Please shorten the titles.")

    assert [task for task, _ in left_open(harness, before)] == ["DRAFT-003-R2"]


def test_what_a_document_before_still_says_is_told_with_the_command_that_revises_it(tmp_path: Path) -> None:
    harness = completed(tmp_path)

    before = revise(harness, "DRAFT-002", "Drop the CSV export. It's too slow")

    ((task, text),) = left_open(harness, before)
    assert task == "DRAFT-002-R1"
    assert text.startswith("DRAFT-001 still says “It must export statistics as CSV.”")
    assert text.endswith(""": lifecycle revise DRAFT-001 'Drop the CSV export. It'"'"'s too slow'""")

    before = revise(harness, "DRAFT-001", "Drop the CSV export. It's too slow")

    assert left_open(harness, before) == []
