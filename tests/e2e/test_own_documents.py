"""A pack's own documents: the pack of docs/configuration.md, with rounds and a gate, from the request to its rework."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import ROOT
from tests.e2e.support import Lifecycle, lifecycle
from tests.rows import common

REQUEST = """# Clinic booking
Today the clinic loses calls; that is a problem for patients.
Patients must be able to book a slot online. The page must answer within 2 seconds.
The benefit is that staff save one hour a day.
The price must not exceed the budget of 20000 euros.
Payment is due thirty days after the invoice.
We do not need a mobile app.
"""
CHAIN = ["DRAFT-101", "DRAFT-102", "DRAFT-103", "QUALITY-101"]
ROUNDS = """extends: default
rounds:
  DISCUSS-101: {after: DRAFT-101, artifact: spec/pitch.md, perspectives: [quality, coverage], focus: value, caller: writer}
  DISCUSS-102: {after: DRAFT-102, artifact: spec/offer.md, perspectives: [quality, risk], focus: scope, caller: writer}
  DISCUSS-104: {after: QUALITY-101, artifact: spec/scorecard.md, perspectives: [product, quality], focus: all of it,
                caller: reviewer, signs_off: true}
pipelines:
  proposal:
    title: a proposal for a customer
    tasks:
      - {key: DRAFT-101, round: DISCUSS-101}
      - {key: DRAFT-102, blocked_by: [DRAFT-101], round: DISCUSS-102}
      - {key: DRAFT-103, blocked_by: [DRAFT-102]}
      - {key: QUALITY-101, blocked_by: [DRAFT-103], round: DISCUSS-104, checkpoint_after: true}
"""
TEMPLATE = """{{ frontmatter }}

# Our offer: {{ doc.title|heading }}

{{ section("scope") }}

{% for item in doc.scope %}
### {{ item.id }}

{{ item.text }}{{ mark(item) }}

{% else %}
{{ nothing("scope") }}
{% endfor %}
{{ section("price") }}

{% with statements = doc.price %}{% include "_statements.j2" %}{% endwith %}
{% if not doc.price %}{{ nothing("price") }}{% endif %}

{% include "_questions.j2" %}
"""


def documented() -> str:
    """The pack that the page on configuration shows."""
    page = (ROOT / "docs" / "configuration.md").read_text(encoding="utf-8")
    (pack,) = [block for block in re.findall(r"```yaml\n(.*?)```", page, re.S) if "  proposal:" in block]
    return str(pack)


def lay(project: Lifecycle, pack: str) -> Path:
    packs = project.folder / ".workflow" / "packs"
    (packs / "templates").mkdir(parents=True, exist_ok=True)
    (packs / "templates" / "offer.md.j2").write_text(TEMPLATE)
    (packs / "documents.yaml").write_text(pack)
    (packs / "rounds.yaml").write_text(ROUNDS)
    return packs


def shown(project: Lifecycle, path: str) -> str:
    """A file of the newest session."""
    gave = project.run("open", path, "--print", "--session", project.session())
    assert gave.code == 0, gave.err
    return gave.out


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lifecycle]:
    """A project with the pack, in which a proposal waits at its gate."""
    with lifecycle(tmp_path_factory.mktemp("proposal")) as project:
        lay(project, documented())
        gave = project.run("start", REQUEST, "--mode", "proposal")
        assert gave.code == 3, gave.err
        yield project


def test_a_pipeline_of_declared_documents_runs_to_its_gate(desk: Lifecycle) -> None:
    check = desk.run("check")

    assert desk.status() == ("paused", "checkpoint")
    assert dict.fromkeys(CHAIN, "completed").items() <= desk.tasks().items()
    assert "PASS" in check.out and "DRAFT-102" in check.out
    pitch, offer, terms = (
        shown(desk, f"spec/{name}") for name in ("pitch.md", "offer.md", "terms/_index.md")
    )
    assert "# Pitch: Clinic booking" in pitch and "### BEN-001" in pitch
    assert "# Our offer: Clinic booking" in offer and "- The price must not exceed the budget" in offer
    assert "- Payment is due thirty days after the invoice." in terms
    assert 'dependencies: ["spec/pitch.md", "spec/offer.md"]' in terms
    assert "<!-- section: need -->\n## The need" in pitch
    report = shown(desk, "spec/scorecard.md")
    assert "spec/offer.md: 1/1 sections" in report and "Traceability" not in report
    assert "- Scope of delivery: " in shown(desk, "spec-summary.md")


def test_rework_finds_keeps_and_scores_the_documents_of_the_pack(desk: Lifecycle) -> None:
    assert desk.run("resume").code == 0
    before = re.findall(r"### (DEL-\d+)", shown(desk, "spec/offer.md"))

    revised = desk.run("revise", "DRAFT-102", "Patients must be able to cancel a slot by phone.")

    assert revised.code == 3, revised.err
    assert {"DRAFT-102-R1", "DRAFT-103-R1", "QUALITY-101-R1"} <= set(desk.tasks())
    assert "DRAFT-101-R1" not in desk.tasks()
    offer = shown(desk, "spec/offer.md")
    assert re.findall(r"### (DEL-\d+)", offer)[: len(before)] == before
    assert "cancel a slot by phone" in offer
    changed = desk.run("diff", "offer.md").out
    assert "+Patients must be able to cancel a slot by phone." in changed

    given = desk.run("feedback", "Terms: payment must be due after fourteen days.")

    assert given.code == 3, given.err
    assert "DRAFT-103-R2" in desk.tasks() and "DRAFT-102-R2" not in desk.tasks()
    assert "fourteen days" in shown(desk, "spec/terms/_index.md")

    unmeasured, improved = desk.run("improve", "depth"), desk.run("improve", "completeness")

    assert unmeasured.code == 2 and "completeness, consistency, coverage" in unmeasured.err
    assert improved.code == 3, improved.err
    assert desk.tasks()["IMPROVE-completeness-001"] == "completed"
    assert desk.run("recheck").code == 3
    assert desk.tasks()["QUALITY-101-R4"] == "completed"
    assert "is completed" in desk.run("why", "QUALITY-101-R4").out
    assert desk.run("resume").code == 0
    assert desk.status() == ("completed", None)


def test_a_running_session_keeps_the_documents_it_was_started_with(desk: Lifecycle) -> None:
    folder = desk.folder / ".workflow" / "packs"
    kept = {file: file.read_text() for file in folder.rglob("*") if file.is_file()}
    for file in kept:
        file.unlink()

    again = desk.run("revise", "DRAFT-102", "Doctors must see their own day.", "--force")

    assert again.code == 3, again.err
    assert "# Our offer" in shown(desk, "spec/offer.md") and "Doctors must see" in shown(
        desk, "spec/offer.md"
    )
    for file, text in kept.items():
        file.write_text(text)


def test_a_request_of_one_word_more_becomes_questions_not_inventions(desk: Lifecycle) -> None:
    gave = desk.run("start", "Build booking", "--mode", "proposal", "--discuss", "off")

    pitch = shown(desk, "spec/pitch.md")
    assert gave.code in (0, 3), gave.err
    assert "Nothing is known about this yet. Open question: What does the customer lack?" in pitch
    assert "- What does the customer lack?" in pitch


FAULTS = {
    "an unknown source": ("drafted_from: [pitch]\n", "drafted_from: [ptich]\n", "unknown document 'ptich'"),
    "a circle": (
        "    model: declared                 #",
        "    drafted_from: [terms]\n    model: declared #",
        "circle: ",
    ),
    "a path elsewhere": ("path: spec/offer.md", "path: ../offer.md", "is no .md file below spec/"),
    "an unknown model": ("task: DRAFT-102\n", "task: DRAFT-102\n    model: brif\n", "duplicate key 'model'"),
    "a model nobody has": ("model: readiness ", "model: redyness ", "did you mean 'readiness'?"),
    "a missing template": (
        "template: offer.md.j2",
        "template: ofer.md.j2",
        "templates/ofer.md.j2: there is no such file",
    ),
    "a template elsewhere": (
        "template: offer.md.j2",
        "template: ../documents.yaml",
        "is no name of a template",
    ),
    "a template with an endless name": (
        "template: offer.md.j2",
        f"template: {'a' * 300}.j2",
        "is no name of a template",
    ),
    "two at one path": ("path: spec/offer.md", "path: spec/pitch.md", "belongs to pitch already"),
    "in another's folder": ("path: spec/offer.md", "path: spec/epics/offer.md", "belongs to epics already"),
    "another's identifiers": ("id: DEL", "id: REQ", "identifiers REQ-001 belong to requirements already"),
    "a task of nobody": ("task: DRAFT-102", "task: OFFER-001", "'OFFER-001' is no task of a role"),
    "another role's task": ("task: DRAFT-102", "task: QUALITY-102", "belongs to reviewer, and writer makes"),
    "a word in use": ("price: {title", "copy: {title", "cannot name a section"),
    "a form nobody has": ("form: list, words: [price", "form: lists, words: [price", "did you mean 'list'?"),
    "a draft too early": ("blocked_by: [DRAFT-101]", "blocked_by: []", "is written from DRAFT-101"),
}
OFTEN = (
    "a circle",
    "a path elsewhere",
    "a missing template",
    "a draft too early",
)  # in each run of the tests


TEMPLATES = {
    "an unknown filter": ("{{ name | uppr }}", "line 1: No filter named 'uppr'"),
    "an unknown test": ("{% if name is hugs %}{% endif %}", "line 1: No test named 'hugs'"),
    "a block that does not end": ("\n{% if name %}", "line 2: "),
    "a template of nobody": ("{% include 'other.j2' %}", "includes other.j2, which is not shipped"),
}


@pytest.mark.parametrize(("text", "fault"), TEMPLATES.values(), ids=TEMPLATES)
def test_a_fault_of_a_template_is_found_by_config_check(desk: Lifecycle, text: str, fault: str) -> None:
    packs = lay(desk, documented())
    (packs / "templates" / "offer.md.j2").write_text(text)

    checked = desk.run("config", "check")

    assert checked.code == 1
    assert f"templates/offer.md.j2: {fault}" in checked.out + checked.err


@pytest.mark.parametrize(("old", "new", "fault"), common(FAULTS.values(), map(FAULTS.get, OFTEN)), ids=FAULTS)
def test_a_fault_of_a_document_is_told_with_its_line_and_changes_nothing(
    desk: Lifecycle, old: str, new: str, fault: str
) -> None:
    pack = documented()
    assert old in pack
    packs = lay(desk, pack.replace(old, new, 1))
    (packs / "rounds.yaml").unlink()
    before = desk.rows("SELECT count(*) FROM sessions"), sorted(desk.directory().rglob("*"))

    gave = desk.run("start", REQUEST, "--mode", "proposal", "--plan")
    checked = desk.run("config", "check")

    lay(desk, pack)
    assert (gave.code, checked.code) == (2, 1), gave.err
    assert re.search(rf"packs/documents\.yaml:\d+: .*{re.escape(fault)}", gave.err), gave.err
    assert "Traceback" not in gave.err
    assert (desk.rows("SELECT count(*) FROM sessions"), sorted(desk.directory().rglob("*"))) == before


def test_a_template_that_cannot_be_read_is_told_with_its_line(desk: Lifecycle) -> None:
    packs = lay(desk, documented())
    broken = {
        "{% for item in doc.scope %}": "templates/offer.md.j2: line 1:",
        '{% include "mine.j2" %}': "templates/offer.md.j2: includes mine.j2, which is not shipped",
        "{{ " + "(" * 3000 + "1" + ")" * 3000 + " }}": "templates/offer.md.j2: is nested too deeply",
    }

    for text, fault in broken.items():
        (packs / "templates" / "offer.md.j2").write_text(text)
        gave = desk.run("start", REQUEST, "--mode", "proposal", "--plan")
        assert gave.code == 2 and fault in gave.err and "documents.yaml:" in gave.err

    lay(desk, documented())


def test_a_template_that_fails_while_printing_is_a_failed_attempt_with_its_reason(tmp_path: Path) -> None:
    with lifecycle(tmp_path, {"max_attempts": 1}) as project:
        packs = lay(project, documented())
        (packs / "templates" / "offer.md.j2").write_text("{{ frontmatter }}\n\n# {{ doc.nothing }}\n")

        gave = project.run("start", REQUEST, "--mode", "proposal", "--discuss", "off")

        assert gave.code == 3, gave.err
        assert project.status() == ("paused", "task_failed")
        assert "the template of offer cannot be printed; offer.md.j2:" in gave.err
