"""An index that says something else of an item than the item's own file is named, and so are the errors that stop a gate."""

from __future__ import annotations

from dataclasses import replace

from orchestrator.config import load_pack
from orchestrator.config.shipped import shipped_documents
from orchestrator.domain.quality import score
from orchestrator.domain.quality_facts import Fault
from tests.unit.builtin_chain import chain, pages
from workers.documents.assess import specification
from workers.documents.content import Requirements
from workers.documents.lint.index_rules import index_differs
from workers.documents.readiness import build_readiness

REQUEST = (
    "# Desk\n\n## Requirements\n\n- Readers must reserve a book | online.\n- The desk should print a slip.\n"
    "- The list of free books must load within 2 seconds.\n"
)


def edited(**change: str) -> tuple[dict[str, bytes], dict[str, Requirements]]:
    """The files as they were written, and the requirements with REQ-002 as a person left its file."""
    facts = chain(REQUEST)
    files = {path: text.encode() for path, text in pages("requirements", facts).items()}
    items = [
        item.model_copy(update=change if item.id == "REQ-002" else {}) for item in facts["requirements"].items
    ]
    return files, {"requirements": facts["requirements"].model_copy(update={"items": items})}


def test_index_that_agrees_with_the_files_has_no_finding() -> None:
    files, contents = edited()

    assert list(index_differs(files, contents, "en")) == []


def test_only_the_list_of_the_items_own_folder_is_compared() -> None:
    files, contents = edited()
    matrix = b"\n| Requirement | G-001 | G-002 |\n| --- | --- | --- |\n| REQ-002 | x | x |\n"
    files["spec/requirements/_index.md"] += matrix
    files["spec/epics/_index.md"] = matrix

    assert list(index_differs(files, contents, "en")) == []


def test_title_and_priority_that_differ_are_named_with_both_values() -> None:
    files, contents = edited(title="Print two slips", moscow="Could")

    found = list(index_differs(files, contents, "en"))

    assert [(one.place, one.about, one.severity) for one in found] == [
        ("REQ-002", "Print two slips", "warning"),
        ("REQ-002", "Could", "warning"),
    ]
    assert "Should" in found[1].text and "revision" in found[1].fix


def test_readiness_report_names_the_errors_that_keep_the_gate_from_pass() -> None:
    faults = (
        Fault("REQ-001", "consistency", True, "says the opposite", "set it right"),
        Fault("REQ-002", "depth", False, "is vague", "give a number"),
    )
    gates, catalogue = load_pack(None, {}).gates, shipped_documents()
    files = {path: text.encode() for path, text in pages("requirements", chain(REQUEST)).items()}
    read = specification(files, set(files), [], catalogue, catalogue["readiness"])

    report = build_readiness(score(replace(read, faults=faults), gates), "en")

    assert [(area.document, area.text, area.todo) for area in report.errors] == [
        ("REQ-001", "says the opposite", "set it right")
    ]
