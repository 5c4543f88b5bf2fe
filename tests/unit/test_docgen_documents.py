"""Documents as files: their form, what stays when others change, and what is read back."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import regex
from jinja2 import UndefinedError
from jinja2.exceptions import SecurityError
from ruamel.yaml import YAML

from orchestrator.config import load_pack
from orchestrator.config.shipped import shipped_documents
from orchestrator.domain.critiques import Divergence
from orchestrator.domain.model import Gate, Severity
from orchestrator.domain.quality import _SHALLOW
from orchestrator.domain.synthesis import Theme
from tests.unit.docgen_samples import DOCUMENTS, chinese, context, english, register, specification
from workers.discussion.record_page import (
    Decision,
    Discussion,
    Rating,
    Standalone,
    render_discussion,
)
from workers.documents.assess import assess
from workers.documents.content import ArchitectureReview, Concern, Epic, Epics, Requirement
from workers.documents.identifiers import allot, content_path
from workers.documents.labels import labels
from workers.documents.page_form import validate
from workers.documents.reader import read
from workers.documents.readiness import build_readiness, build_summary
from workers.documents.render import order, render

GATES = load_pack(None, {}).gates


def stated(contents: dict[str, Any]) -> list[str]:
    return [found.text for found in contents["discovery"].requirements]


@pytest.mark.parametrize(
    ("contents", "language"), [(english(), "en"), (chinese(), "zh")], ids=["english", "chinese"]
)
def test_a_specification_has_no_fault_of_form(contents: dict[str, Any], language: str) -> None:
    files = specification(contents, language=language)

    assert validate(files, files) == []
    assert {path for path in files if path.endswith("_index.md")} == {
        f"spec/{name}/_index.md" for name in ("requirements", "architecture", "epics")
    }
    assert all(content_path(name) in files for name in DOCUMENTS)


@pytest.mark.parametrize(
    ("contents", "language"), [(english(), "en"), (chinese(), "zh")], ids=["english", "chinese"]
)
def test_every_required_section_is_found_by_marker_and_by_heading(
    contents: dict[str, Any], language: str
) -> None:
    files = specification(contents, language=language)
    bare = {
        path: b"\n".join(line for line in data.split(b"\n") if b"<!--" not in line)
        for path, data in files.items()
    }

    for kind, required in ((each.kind, each.required) for each in shipped_documents()):
        folder = "spec/product-brief" if kind == "brief" else f"spec/{kind}/"
        for version in (files, bare):
            pages = [
                read(path, data)
                for path, data in version.items()
                if path.startswith(folder) and path.endswith(".md")
            ]
            assert set(required) <= {section.key for page in pages for section in page.sections}, (
                kind,
                language,
            )


def test_chinese_documents_pass_by_the_same_rules() -> None:
    contents = chinese()
    files = specification(contents, language="zh")

    found = assess(files, files, ["断网时必须在本地缓存日志"], GATES)

    assert found.gate is Gate.PASS
    assert {name: part.score for name, part in found.dimensions.items() if name != "completeness"} == {
        "consistency": 100,
        "traceability": 100,
        "depth": 91.7,  # two stories
        "coverage": 100,
    }


def test_an_empty_section_is_present_without_substance() -> None:
    files = specification(chinese(), language="zh")

    texts = read("spec/architecture/_index.md", files["spec/architecture/_index.md"]).section_texts()

    assert texts["stack"] == ""
    assert "它使用哪些技术？".encode() in files["spec/architecture/_index.md"]


def test_untouched_items_keep_their_bytes_across_a_revision() -> None:
    documents = register(english())
    before = render("requirements", documents["requirements"], context(documents))
    old = documents["requirements"].content.items  # type: ignore[attr-defined]
    added = Requirement(title="Export", statement="Bookings can be exported.", source="stated")
    changed = old[1].model_copy(update={"statement": "Changed."})
    revised, _ = allot(
        english()["requirements"].model_copy(update={"items": [old[0], changed, added]}),
        documents["requirements"],
    )

    after = render(
        "requirements",
        revised,
        context(
            documents, generated_at="2027-01-01T00:00:00Z", version=2, task="DRAFT-002-R1", status="revised"
        ),
        previous=before,
    )

    assert (
        after["spec/requirements/REQ-001-book-a-slot.md"]
        == before["spec/requirements/REQ-001-book-a-slot.md"]
    )
    assert b"version: 2" in after["spec/requirements/REQ-002-remind-patients.md"]
    assert b'status: "withdrawn"' in after["spec/requirements/NFR-P-001-answer-time.md"]
    assert "spec/requirements/REQ-003-export.md" in after
    assert set(before) <= set(after)
    assert b"NFR-P-001" in after["spec/requirements/_index.md"].partition(b"section: withdrawn")[2]


def test_untouched_items_keep_their_bytes_without_the_content_beside_them() -> None:
    documents = register(english())
    before = render("architecture", documents["architecture"], context(documents))
    pages = {path: data for path, data in before.items() if path.endswith(".md")}

    after = render(
        "architecture",
        documents["architecture"],
        context(documents, version=5, agent="claude"),
        previous=pages,
    )

    assert (
        after["spec/architecture/ADR-001-one-service.md"]
        == before["spec/architecture/ADR-001-one-service.md"]
    )
    assert after["spec/architecture/_index.md"] != before["spec/architecture/_index.md"]


def test_a_persons_edit_of_an_untouched_item_stays() -> None:
    documents = register(english())
    files = render("epics", documents["epics"], context(documents))
    path = "spec/epics/EPIC-001-book-online.md"
    files[path] += b"\nA word by hand.\n"

    after = render("epics", documents["epics"], context(documents, version=2), previous=files)

    assert after[path] == files[path]


def test_a_withdrawn_story_changes_only_its_epics_file() -> None:
    documents = register(english())
    before = render("epics", documents["epics"], context(documents))
    epics = documents["epics"].content.items  # type: ignore[attr-defined]
    revised, _ = allot(
        Epics(items=[epics[0], epics[1].model_copy(update={"stories": []})]), documents["epics"]
    )

    after = render("epics", revised, context(documents, version=2), previous=before)

    assert after["spec/epics/EPIC-001-book-online.md"] == before["spec/epics/EPIC-001-book-online.md"]
    assert (
        b"STORY-002-001"
        in after["spec/epics/EPIC-002-remind-patients.md"].partition(b"section: withdrawn")[2]
    )


def test_a_renamed_item_keeps_its_file() -> None:
    documents = register(english())
    items = documents["requirements"].content.items  # type: ignore[attr-defined]
    renamed = items[0].model_copy(update={"title": "Reserve a slot"})

    revised, _ = allot(
        english()["requirements"].model_copy(update={"items": [renamed, *items[1:]]}),
        documents["requirements"],
    )

    assert revised.files["REQ-001"] == "REQ-001-book-a-slot.md"


def test_withdrawn_items_count_neither_for_nor_against() -> None:
    contents = english()
    documents = register(contents)
    items = documents["requirements"].content.items  # type: ignore[attr-defined]
    lone = items[1].model_copy(
        update={"title": "Zebra", "statement": "Zebra crossing.", "acceptance_criteria": ["nice"]}
    )
    first, _ = allot(
        contents["requirements"].model_copy(update={"items": [*items, lone]}), documents["requirements"]
    )
    second, _ = allot(first.content.model_copy(update={"items": items}), first)
    documents["requirements"] = second
    files = {
        path: data
        for name in DOCUMENTS
        for path, data in render(name, documents[name], context(documents)).items()
    }

    found = assess(files, files, ["Zebra crossing"], GATES)

    assert b"Zebra" in files["spec/requirements/_index.md"]
    assert found.coverage == 0
    assert found.dimensions["depth"].score == 91.7  # two stories


def test_the_second_agents_review_stands_in_the_architecture() -> None:
    documents = register(english())
    review = ArchitectureReview(
        concerns=[Concern(text="One point of failure", severity="high")], suggestions=["Add a queue"]
    )

    files = render(
        "architecture",
        documents["architecture"],
        context(documents, facts={"review": review, "review_agent": "codex"}),
    )

    text = read("a.md", files["spec/architecture/_index.md"]).section_texts()["review"]
    assert "One point of failure" in text
    assert "codex" in text


def test_proposed_items_say_so_with_their_reason() -> None:
    files = specification(english())

    page = files["spec/requirements/REQ-002-remind-patients.md"].decode()

    assert "to be confirmed: missed slots are lost" in page
    assert "confirmed" not in files["spec/requirements/REQ-001-book-a-slot.md"].decode()


def test_discovery_is_data_with_the_codebase_or_null() -> None:
    documents = register(english())

    without = render("discovery", documents["discovery"], context(documents))
    within = render(
        "discovery", documents["discovery"], context(documents, facts={"codebase": {"languages": ["python"]}})
    )

    assert json.loads(without["spec/discovery-context.json"])["codebase"] is None
    assert json.loads(within["spec/discovery-context.json"])["codebase"] == {"languages": ["python"]}
    assert "analysis/design-intelligence.json" not in without
    assert json.loads(without["spec/spec-config.json"])["complexity"] == "medium"


def test_work_on_a_user_interface_gets_its_design_notes() -> None:
    documents = register({"discovery": english()["discovery"].model_copy(update={"ui": True})})

    assert "analysis/design-intelligence.json" in render(
        "discovery", documents["discovery"], context(documents)
    )


def test_epics_are_ordered_in_steps_the_first_version_first() -> None:
    epics = Epics(
        items=[
            Epic(id="EPIC-001", title="A", goal="x", mvp=False),
            Epic(id="EPIC-002", title="B", goal="x", depends_on=["EPIC-003"]),
            Epic(id="EPIC-003", title="C", goal="x"),
        ]
    )

    assert order(epics) == [["EPIC-003", "EPIC-001"], ["EPIC-002"]]


@pytest.mark.parametrize(
    ("page", "fault"),
    [
        (b"# A\n", "no frontmatter"),
        (b"---\na: [\n---\n# A\n", "frontmatter is no YAML"),
        (b"---\n- a\n---\n# A\n", "frontmatter is no mapping"),
        (b"---\nphase: spec\n---\n# A\n", "frontmatter lacks session_id"),
        (b"# A\n\n# B\n", "2 headings of level 1"),
        (b"text", "0 headings of level 1"),
        (b"# A\n\n### B\n", "line 3: a heading of level 3 below one of level 1"),
        (b"# A\n\n<script>x</script>\n", "raw HTML: <script>"),
        (b"# A\n\nText <b>bold</b>.\n", "raw HTML: <b>"),
        (b"# A\n\n[x](../../etc/passwd)\n", "link to ../../etc/passwd leads nowhere"),
        (b"# A\n\n[x](b.md#nothing)\n", "link to b.md#nothing leads nowhere"),
        (b"# A\n\n![x](gone.png)\n", "link to gone.png leads nowhere"),
        (b"\xff\xfe\x00", "not UTF-8"),
    ],
)
def test_faults_of_form_are_named(page: bytes, fault: str) -> None:
    faults = validate({"spec/a.md": page, "spec/b.md": b"# B"}, ["spec/a.md", "spec/b.md"])

    assert any(line.startswith("spec/a.md") and fault in line for line in faults), faults


def test_links_that_resolve_are_no_fault() -> None:
    page = b"# A\n\n[x](b.md#title-two) [y](https://example.org) [z](#a) [w](sub/c%20d.md)\n"

    faults = validate({"a.md": page, "b.md": b"# B\n\n## Title *two*\n"}, ["sub/c d.md"])

    assert not [line for line in faults if "link" in line]


def test_what_other_agents_write_is_read_by_its_headings() -> None:
    page = read(
        "spec/product-brief.md",
        "# Brief\n\n## 1. Product Vision\n\nA.\n\n"
        "## Goals & Metrics\n\n### G-001: Less waiting\n\nSee REQ-002.\n\n## 约束条件\n\nB。\n".encode(),
    )

    assert page.section_texts().keys() == {"vision", "goals_and_metrics", "constraints"}
    assert (page.defined, page.refs) == ({"G-001"}, {"REQ-002"})


def test_readiness_names_what_is_weak_and_what_to_do() -> None:
    contents = english()
    documents = register(contents)
    files = specification(contents)
    files["spec/product-brief.md"] += b"\n[gone](nowhere.md)\n"
    found = assess(files, files, ["Barcode scanners print labels"], GATES)

    report = build_readiness(found, "en")
    summary = build_summary(found, documents, "en")
    pages = render("readiness", (report, summary), context(documents))

    assert found.gate is Gate.FAIL
    assert "`lifecycle resume --force`" in " ".join(report.actions)
    assert "`lifecycle resume`" not in " ".join(report.actions)
    assert any(area.text == "The link to nowhere.md leads nowhere." for area in report.weak)
    assert [bar.name for bar in report.bars] == [
        "completeness",
        "consistency",
        "traceability",
        "depth",
        "coverage",
    ]
    assert validate(pages, [*files, *pages]) == []
    assert b"####" in pages["spec/readiness-report.md"]
    assert json.loads(pages[content_path("readiness")])["gate"] == "FAIL"
    assert len(pages["spec/spec-summary.md"].splitlines()) < 70


def test_readiness_of_nothing_says_so() -> None:
    found = assess({}, [], [], GATES)

    report = build_readiness(found, "zh")

    assert found.gate is Gate.FAIL
    assert "没有找到文档。" in report.verdict


def test_every_weak_code_has_words_in_both_languages() -> None:
    source = (Path(__file__).parents[2] / "orchestrator/domain/quality.py").read_text()
    codes = set(regex.findall(r'Weak\([^()"]*(?:"[^"]*")?[^()"]*, "([a-z_]+)"', source)) | set(
        _SHALLOW.values()
    )
    for language in ("en", "zh"):
        words = labels(language).words
        assert len(codes) >= 14
        assert {f"{part}_{code}" for code in codes for part in ("weak", "todo")} <= words.keys()


def test_both_languages_have_the_same_labels() -> None:
    folder = Path(__file__).parents[2] / "config/labels"
    english_file, chinese_file = (
        YAML(typ="safe").load((folder / f"{name}.yaml").read_text()) for name in ("en", "zh")
    )

    for part in ("sections", "words", "empty"):
        assert english_file[part].keys() == chinese_file[part].keys()
    assert labels("fr").sections == labels("en").sections


def test_a_discussion_record_holds_what_was_said() -> None:
    discussion = Discussion(
        round="DISCUSS-003",
        revision=1,
        artifact="spec/requirements/_index.md",
        perspectives=("Quality", "Coverage"),
        consensus="blocked",
        mean=2.5,
        severity="HIGH",
        ratings=(
            Rating("Quality", "claude", 2, "vague criteria"),
            Rating("Coverage", "builtin", 3, "one gap"),
        ),
        themes=(Theme("criteria", "concern", ("Quality", "Coverage")),),
        divergences=(Divergence("missing", Severity.HIGH, "A requirement is missing", ("Coverage",)),),
        action_items=("Add it",),
        partial="Product did not answer in time",
        standalone=Standalone(sentiment="concerns", decision=Decision("ana", "2026-11-21", "Go on")),
    )

    ((path, data),) = render_discussion(
        discussion, session_id="TLS-x-2026-11-21", phase="spec", task="DRAFT-002-R1", generated_at="now"
    ).items()

    page = read(path, data)
    texts = page.section_texts()
    assert path == "discussions/DISCUSS-003-R1-discussion.md"
    assert b"**PARTIAL: Product did not answer in time**" in data
    assert "HIGH A requirement is missing (held by Coverage)" in texts["divergences"]
    assert "Go on" in texts["decision"]
    assert (page.frontmatter or {})["status"] == "partial"
    assert validate({path: data}, ["spec/requirements/_index.md"]) == []


def test_a_users_template_wins_and_stays_in_its_sandbox(tmp_path: Path) -> None:
    folder = tmp_path / "templates"
    folder.mkdir()
    documents = register(english())
    template = folder / "adr.md.j2"

    def printed(text: str) -> bytes:
        template.write_text(text)
        where = tmp_path / str(len(list(tmp_path.iterdir())))
        where.mkdir()
        (where / "templates").symlink_to(folder)
        files = render("architecture", documents["architecture"], context(documents, folders=(where,)))
        return files["spec/architecture/ADR-001-one-service.md"]

    assert printed("{{ frontmatter }}\n\n# Mine {{ item.title }}\n").endswith(b"# Mine One service\n")
    with pytest.raises(UndefinedError):
        printed("{{ item.nothing }}")
    with pytest.raises(SecurityError):
        printed("{{ item.__class__.__mro__ }}")
