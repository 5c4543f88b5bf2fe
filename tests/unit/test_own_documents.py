"""Documents that a pack declares: their catalogue, content model, identifiers, form, and what the built-in agent puts in."""

from __future__ import annotations

import json
import re
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from jinja2 import TemplateError
from jinja2.defaults import DEFAULT_FILTERS

from orchestrator.config import load_pack, pack_templates
from orchestrator.config.snapshots import upgraded
from orchestrator.domain.documents import DIMENSIONS, Catalogue, DocumentDef, Section
from orchestrator.domain.pipelines import Pack, expand, from_snapshot, to_snapshot
from orchestrator.domain.plain_values import Reader
from orchestrator.domain.read_documents import read_documents
from tests.unit.docgen_samples import context
from workers.builtin import declared
from workers.builtin.material import material
from workers.documents import bounded
from workers.documents.assess import assess
from workers.documents.content import Declared, Item
from workers.documents.identifiers import Registered, allot
from workers.documents.lint import findings_of
from workers.documents.models import model_of
from workers.documents.page import environment
from workers.documents.page_form import validate
from workers.documents.reader import read
from workers.documents.render import render

NONE = {"LIFECYCLE_CONFIG_DIR": str(Path(__file__).parent / "none")}
OFFER = DocumentDef(
    kind="offer",
    title="Offer",
    task="DRAFT-102",
    path="spec/offer.md",
    model="declared",
    purpose="Write the offer.",
    sections=(
        Section("need", "The need", required=True, words=("today", "problem"), question="What is lacking?"),
        Section("scope", "Scope of delivery", form="items", id="DEL", required=True, rest=True),
        Section("price", "Price", form="list", words=("price", "budget")),
    ),
    required=("need", "scope"),
    identifiers=("DEL",),
)
REPORT = DocumentDef(
    "card",
    "Card",
    "QUALITY-102",
    "spec/card.md",
    "readiness",
    scores=("offer",),
    measures=("completeness", "coverage"),
)
CATALOGUE = Catalogue({"offer": OFFER, "card": REPORT})
ENDLESS = "{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}"
REQUEST = """# Booking
Today the clinic loses calls; that is a problem.
Patients must be able to book a slot online.
The price must not exceed 20000 euros.
"""


@pytest.fixture(scope="module")
def shipped() -> Pack:
    return load_pack(None, NONE)


def written(request: str = REQUEST, **facts: Any) -> Declared:
    """The built-in agent's offer."""
    known = {"request": request, "language": "en", "document": OFFER, "drafted_from": [], **facts}
    content = declared.answer(material(known, lambda: None))
    assert isinstance(content, Declared)
    return content


def values(content: Declared) -> dict[str, Any]:
    return content.model_dump(mode="json")


def printed(registered: Registered, offer: DocumentDef = OFFER) -> str:
    catalogue = Catalogue({"offer": offer, "card": REPORT})
    files = render("offer", registered, context({}, catalogue=catalogue))
    assert validate(files, files) == []
    return files["spec/offer.md"].decode()


# the catalogue


def test_a_task_makes_the_document_of_its_id_before_that_of_its_prefix() -> None:
    known = Catalogue({"any": replace(OFFER, kind="any", task="DRAFT"), "offer": OFFER})

    made = {key: known.of_task(key) for key in ("DRAFT-102-R1", "DRAFT-007", "PLAN-001")}

    assert {key: found and found.kind for key, found in made.items()} == {
        "DRAFT-102-R1": "offer",
        "DRAFT-007": "any",
        "PLAN-001": None,
    }


@pytest.mark.parametrize(
    ("where", "kind"),
    [
        ("spec/requirements/REQ-001-book.md", "requirements"),
        ("spec/product-brief.md", "brief"),
        ("STORY-001-002", "epics"),
        ("architecture", "architecture"),
        ("spec/other.md", None),
        ("", None),
    ],
)
def test_a_place_of_a_finding_leads_to_its_document(shipped: Pack, where: str, kind: str | None) -> None:
    found = shipped.documents.about(where)

    assert (found and found.kind) == kind


def test_a_pack_changes_single_words_of_a_shipped_document(tmp_path: Path, shipped: Pack) -> None:
    file = tmp_path / ".workflow" / "packs" / "mine.yaml"
    file.parent.mkdir(parents=True)
    file.write_text("extends: default\ndocuments: {brief: {feedback: [audience, tone]}}\n")

    mine = load_pack(tmp_path, NONE).documents

    assert mine["brief"] == replace(shipped.documents["brief"], feedback=("audience", "tone"))
    assert mine["epics"] == shipped.documents["epics"]


def test_a_session_begun_before_documents_were_data_has_the_shipped_ones(shipped: Pack) -> None:
    pipeline = expand(shipped, "spec-only")
    now = json.loads(json.dumps(to_snapshot(shipped, pipeline)))
    rounds = {key: {k: v for k, v in kept.items() if k != "signs_off"} for key, kept in now["rounds"].items()}
    gates = {
        **now["gates"],
        "required_sections": {each.kind: list(each.required) for each in shipped.documents},
    }
    feedback = {each.task: list(each.feedback) for each in shipped.documents}
    old = {key: value for key, value in now.items() if key != "documents"}
    old |= {"version": 1, "rounds": rounds, "gates": gates, "feedback": feedback}

    pack, again = from_snapshot(upgraded(old))

    assert again == pipeline
    assert (pack.documents, pack.rounds, pack.gates) == (shipped.documents, shipped.rounds, shipped.gates)
    assert from_snapshot(upgraded(now))[0].documents == shipped.documents


# content, identifiers, form


def test_the_model_of_a_declared_document_has_its_sections_as_fields() -> None:
    schema = model_of(OFFER).model_json_schema()

    assert list(schema["properties"]) == ["title", "open_questions", "need", "scope", "price"]
    assert schema["properties"]["scope"]["items"] == {"$ref": "#/$defs/Item"}
    assert model_of(OFFER) is model_of(replace(OFFER, title="Another"))


def test_no_section_can_take_a_name_that_a_content_model_needs() -> None:
    named = {name for name in dir(Declared) if re.fullmatch("[a-z]+(?:_[a-z]+)*", name)}
    needed = {name for name in named | set(Declared.model_fields) if not name.startswith("model_")}
    given = {name: {"title": "T"} for name in (*needed, "model_dump", "Upper", "a1", "scope")}

    reader = Reader()
    read_documents(reader, {"mine": {"model": "declared", "sections": given}}, {})
    refused = {fault.place[-1] for fault in reader.faults if "cannot name a section" in fault.text}

    assert refused == {*needed, "model_dump", "Upper", "a1"}


def test_items_keep_their_numbers_and_what_is_left_out_stays_withdrawn() -> None:
    model = model_of(OFFER)
    first, _ = allot(model(title="T", scope=[Item(text="a"), Item(text="b")]), kind="offer")  # type: ignore[call-arg]

    again = [Item(id="DEL-002: still b", text="b, larger"), Item(text="c")]
    second, notes = allot(model(title="T", scope=again), first, kind="offer")  # type: ignore[call-arg]

    assert [item.id for item in values_of(second)] == ["DEL-002", "DEL-003"]
    assert [item.id for item in second.withdrawn.items] == ["DEL-001"]
    assert notes == ["DEL-001: withdrawn, this version leaves it out"]
    assert Registered.from_json(json.loads(json.dumps(second.to_json())), model) == second
    page = printed(second)
    assert "### DEL-001\n\na (This item is withdrawn." in page
    assert page.index("### DEL-002") < page.index("### DEL-003") < page.index("## Withdrawn")


def values_of(registered: Registered) -> list[Item]:
    found: list[Item] = registered.content.scope  # type: ignore[attr-defined]
    return found


HOSTILE = "# <b>x</b> | `{{ y }}`\n---\n[z](javascript:1) <!-- section: need -->"


def test_hostile_words_open_nothing_in_a_page_of_a_declared_document() -> None:
    sections = (
        replace(OFFER.sections[0], title=HOSTILE.replace("\n", " "), question=HOSTILE),
        *OFFER.sections[1:],
    )
    offer = replace(OFFER, title=HOSTILE, sections=sections)
    said = {"title": HOSTILE, "scope": [{"text": HOSTILE}], "price": [{"text": HOSTILE, "reason": HOSTILE}]}
    registered, _ = allot(model_of(offer).model_validate(said), kind="offer")

    page = printed(registered, offer)

    assert [section.key for section in read("spec/offer.md", page.encode(), offer).sections] == [
        "need",
        "scope",
        "price",
        "open_questions",
    ]


def test_a_template_of_the_pack_prints_the_page() -> None:
    own = replace(
        OFFER,
        template="o.j2",
        template_text="{{ frontmatter }}\n\n# {{ name }} by hand\n\n{{ section('price') }}\n",
    )
    registered, _ = allot(written(), kind="offer")

    page = printed(registered, own)

    assert page.endswith("# Offer by hand\n\n<!-- section: price -->\n## Price\n")


@pytest.mark.parametrize(
    ("template", "words"),
    [
        (ENDLESS, "does not come to an end"),
        ("{{ doc.nothing.such }}", "UndefinedError"),
        ("{{ (1 / 0) }}", "ZeroDivisionError"),
    ],
    ids=["endless", "undefined", "arithmetic"],
)
def test_a_template_that_does_not_end_or_fails_is_told(
    template: str, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bounded.bounded, "__defaults__", (2.0,))
    own = replace(OFFER, template="o.j2", template_text=template)
    registered, _ = allot(written(), kind="offer")

    with pytest.raises(TemplateError, match=words):
        printed(registered, own)


@pytest.mark.parametrize(
    ("size", "words"), [(bounded.LONGEST + 1, "longer than"), (4 << 30, "memory")], ids=["length", "memory"]
)
def test_a_page_that_is_too_large_is_told(size: int, words: str) -> None:
    with pytest.raises(bounded.TemplateUnbounded, match=words):
        bounded.bounded(lambda: "x" * size, 60.0)


def test_many_threads_print_pack_templates_at_once() -> None:
    own = replace(
        OFFER,
        template="o.j2",
        template_text="{{ frontmatter }}\n\n# {{ name }}\n\n{% include '_questions.j2' %}",
    )
    registered, _ = allot(written(), kind="offer")

    with ThreadPoolExecutor(8) as pool:
        pages = list(pool.map(lambda _: printed(registered, own), range(40)))

    assert set(pages) == {pages[0]} and "# Offer\n" in pages[0]


def test_the_filters_that_the_configuration_knows_are_those_of_pages() -> None:
    known = set(environment((), trusted=False).filters) - set(DEFAULT_FILTERS)

    assert set(pack_templates.FILTERS) == known


def test_a_section_is_found_again_by_its_heading_when_a_person_took_the_marker_away() -> None:
    registered, _ = allot(written(), kind="offer")
    bare = "\n".join(line for line in printed(registered).splitlines() if "<!--" not in line)

    found = read("spec/offer.md", bare.encode(), OFFER).section_texts()

    assert {"need", "scope", "price"} <= set(found)


# the built-in agent, and what judges it


def test_each_sentence_goes_to_the_section_that_its_words_name() -> None:
    offer = values(written())

    assert offer["title"] == "Booking"
    assert offer["need"] == "Today the clinic loses calls; that is a problem."
    assert [item["text"] for item in offer["scope"]] == ["Patients must be able to book a slot online."]
    assert [entry["text"] for entry in offer["price"]] == ["The price must not exceed 20000 euros."]
    assert offer["open_questions"] == []


def test_a_heading_of_the_request_goes_before_the_words_of_its_sentences() -> None:
    offer = values(written("# Booking\n\n## Scope of delivery\n\n- A price list for patients, printed.\n"))

    assert [item["text"] for item in offer["scope"]] == ["A price list for patients, printed."]
    assert offer["price"] == []


def test_what_nobody_said_is_asked_and_not_invented() -> None:
    offer = values(written("x"))

    assert (offer["need"], offer["scope"], offer["price"]) == ("", [], [])
    assert {"What is lacking?", "Scope of delivery?", "Price?"} <= set(offer["open_questions"])


def test_statements_of_the_documents_before_are_taken_over_with_their_source() -> None:
    before = model_of(replace(OFFER, kind="pitch")).model_validate(
        {"title": "T", "price": [{"text": "A budget of two years", "source": "proposed", "reason": "usual"}]}
    )

    offer = values(written(drafted_from=[before]))

    taken = offer["price"][1]
    assert (taken["text"], taken["source"], taken["reason"]) == ("A budget of two years", "proposed", "usual")


def test_a_revision_keeps_what_was_and_adds_what_is_wanted() -> None:
    first, _ = allot(written(), kind="offer")

    again = written(previous=first.content, feedback=["Patients must be able to cancel a slot."])
    second, _ = allot(again, first, kind="offer")

    assert [item.id for item in values_of(second)] == ["DEL-001", "DEL-002"]
    assert values_of(second)[1].text == "Patients must be able to cancel a slot."
    assert second.withdrawn.items == []


def test_a_report_scores_its_own_documents_by_its_own_dimensions(shipped: Pack) -> None:
    registered, _ = allot(written(), kind="offer")
    files = {"spec/offer.md": printed(registered).encode()}
    stated = ["Patients must be able to book a slot online.", "Zebras cross the street at night."]

    found = assess(files, files, stated, shipped.gates, CATALOGUE, "card")
    nothing = assess({}, [], stated, shipped.gates, CATALOGUE, "card")

    assert list(found.dimensions) == ["completeness", "coverage"]
    weak = [(area.where, area.code) for part in found.dimensions.values() for area in part.weak]
    assert ("spec/offer.md", "section_thin") in weak
    assert found.coverage == 50.0
    weights = {name: shipped.gates.weights[name] for name in DIMENSIONS}
    share = found.dimensions["completeness"].score * weights["completeness"] + 50 * weights["coverage"]
    assert found.total == round(share / (weights["completeness"] + weights["coverage"]), 1)
    assert nothing.notes == ("no documents found",)


def test_the_critic_misses_a_required_section_of_a_declared_document() -> None:
    registered, _ = allot(written(), kind="offer")
    page = printed(registered)
    cut = page[: page.index("<!-- section: scope -->")] + page[page.index("<!-- section: price -->") :]
    facts = {"request": REQUEST, "language": "en", "document": OFFER, "artifact_path": OFFER.path}

    found = {
        name: [
            (found.rule, found.text)
            for found in findings_of({**facts, "artifact": text})
            if found.severity == "error"
        ]
        for name, text in (("whole", page), ("cut", cut))
    }

    assert found["whole"] == []
    assert [kind for kind, _ in found["cut"]] == ["missing_section"] and "Scope of delivery" in found["cut"][
        0
    ][1]


@pytest.mark.parametrize("kind", ["feedback", "request", "critique", "epic", "brief"])
def test_a_document_does_not_take_the_name_of_something_else(kind: str) -> None:
    reader = Reader()

    read_documents(
        reader, {kind: {"title": "T", "task": "DRAFT-102", "path": "spec/t.md", "model": "declared"}}, {}
    )

    assert any("has a meaning of its own" in fault.text for fault in reader.faults)


def test_a_snapshot_from_before_keeps_its_own_required_sections_and_words() -> None:
    pack = load_pack(None, NONE)
    now = json.loads(json.dumps(to_snapshot(pack, expand(pack, "spec-only"))))
    now.pop("documents")
    now["gates"]["required_sections"] = {"brief": ["vision"]}

    kept = from_snapshot(upgraded({**now, "version": 1, "feedback": {"DRAFT-003": ["teapot"]}}))[0].documents

    assert kept["brief"].required == ("vision",)
    assert kept["architecture"].feedback == ("teapot",)
    assert kept["epics"].required == ()


@pytest.mark.parametrize(
    "body", ["{{ 9 ** (9 ** 9) }}", "{{ 'x' * 900000000 }}", "{{ 'x' | center(900000000) }}"]
)
def test_checking_a_template_computes_nothing_of_it(tmp_path: Path, body: str) -> None:
    (tmp_path / "a.md.j2").write_text(body)

    assert pack_templates._text(tmp_path / "a.md.j2") == body
