"""The spec quality score, a row a rule (docs/domain.md, section 11)."""

from __future__ import annotations

from dataclasses import replace

import pytest

from orchestrator.config import load_pack
from orchestrator.domain.basis import Basis, Question, lacks
from orchestrator.domain.documents import DIMENSIONS
from orchestrator.domain.model import Gate
from orchestrator.domain.pipelines import Gates
from orchestrator.domain.quality import Weak, gate_of, has_substance, score
from orchestrator.domain.quality_facts import (
    AdrFacts,
    Criterion,
    Document,
    Fault,
    Item,
    Spec,
    StoryFacts,
)
from orchestrator.domain.spelling import mixed_spellings, mixed_styles
from orchestrator.domain.testable import is_testable

LONG = "word " * 21  # 104 characters without the last space
CJK = "字" * 41
REQUIRED = {each.kind: each.required for each in load_pack(None, {}).documents if each.required}


@pytest.fixture(scope="module")
def gates() -> Gates:
    return load_pack(None, {}).gates


def whole(gates: Gates, text: str = LONG) -> tuple[Document, ...]:
    """All four documents with every required section full."""
    return tuple(
        Document(kind, f"spec/{kind}.md", dict.fromkeys(keys, text), text=text)
        for kind, keys in REQUIRED.items()
    )


def test_weights_are_those_of_the_table(gates: Gates) -> None:
    assert [gates.weights[name] for name in DIMENSIONS] == [25, 20, 25, 20, 10]


def test_no_documents_fail(gates: Gates) -> None:
    found = score(Spec(stated=("x",)), gates)

    assert (found.gate, found.total, found.coverage) == (Gate.FAIL, 0.0, 0.0)
    assert found.notes == ("no documents found",)


@pytest.mark.parametrize(
    ("total", "coverage", "gate"),
    [
        (80, 70, Gate.PASS),
        (79.9, 100, Gate.REVIEW),
        (100, 69.9, Gate.REVIEW),
        (60, 50, Gate.REVIEW),
        (59.9, 100, Gate.FAIL),
        (100, 49.9, Gate.FAIL),
        (100, 100, Gate.PASS),
    ],
)
def test_gates(gates: Gates, total: float, coverage: float, gate: Gate) -> None:
    assert gate_of(total, coverage, gates) is gate


@pytest.mark.parametrize(
    ("given", "proposed", "answered", "codes"),
    [
        (1, 1, "what why who", []),
        (1, 2, "what why who", ["given"]),
        (9, 0, "what who", ["answers"]),
        (0, 3, "", ["given", "answers"]),
        (9, 1, "what why who measure bounds", []),
    ],
)
def test_mostly_proposals_or_too_few_answers_keep_the_gate_from_pass(
    gates: Gates, given: int, proposed: int, answered: str, codes: list[str]
) -> None:
    basis = Basis(given, proposed, frozenset(map(Question, answered.split())))

    assert [lack.code for lack in lacks(100, 100, gates, basis=basis)] == codes
    assert gate_of(100, 100, gates, basis=basis) is (Gate.REVIEW if codes else Gate.PASS)
    assert gate_of(59.9, 100, gates, basis=basis) is Gate.FAIL


def test_a_section_with_proposals_alone_has_no_substance_and_is_named(gates: Gates) -> None:
    proposed = frozenset({("brief", "target_users")})

    part = score(Spec(required=REQUIRED, documents=whole(gates), proposed=proposed), gates).dimensions[
        "completeness"
    ]

    assert part.score == round((50 + 50 * 5 / 6 + 300) / 4, 1)
    assert part.weak == (Weak("spec/brief.md", "section_proposed", "target_users"),)


def test_spellings_and_styles_of_the_request_cost_nothing(gates: Gates) -> None:
    text = "The check-in is signed; a checkin lapses. Its is_open and lastSeen are kept."
    spec = Spec(required=REQUIRED, documents=whole(gates, text))

    assert score(spec, gates).dimensions["consistency"].score < 100
    found = score(replace(spec, request=text), gates).dimensions["consistency"]
    assert found.score == 100
    assert {weak.code for weak in found.weak} == {"spellings", "mixed_style"}


def test_an_error_of_the_lint_keeps_the_gate_from_pass(gates: Gates) -> None:
    faults = (Fault("REQ-001", "consistency", True, "says the opposite", "set it right"),)
    spec = Spec(required=REQUIRED, documents=whole(gates), faults=faults)

    found = score(spec, gates)

    assert gate_of(100, 100, gates, len(found.errors)) is Gate.REVIEW
    assert gate_of(59.9, 100, gates, len(found.errors)) is Gate.FAIL
    assert found.errors == (Weak("REQ-001", "finding", "says the opposite", "set it right"),)
    assert found.dimensions["consistency"].score == 90
    assert found.dimensions["consistency"].weak == (
        Weak("REQ-001", "finding", "says the opposite", "set it right"),
    )


@pytest.mark.parametrize(
    ("text", "full"),
    [
        ("a" * 100, False),
        ("a" * 101, True),
        ("字" * 40, False),
        ("字" * 41, True),
        (" " * 500, False),
        ("", False),
    ],
)
def test_substance(gates: Gates, text: str, full: bool) -> None:
    assert has_substance(text, gates) is full


@pytest.mark.parametrize("text", [LONG, CJK])
def test_whole_documents_are_complete_in_any_script(gates: Gates, text: str) -> None:
    assert (
        score(Spec(required=REQUIRED, documents=whole(gates, text)), gates).dimensions["completeness"].score
        == 100
    )


@pytest.mark.parametrize("kind", ["brief", "requirements", "architecture", "epics"])
def test_each_required_section_counts(gates: Gates, kind: str) -> None:
    required = REQUIRED[kind]
    for missing in required:
        documents = tuple(
            replace(
                document, sections={key: text for key, text in document.sections.items() if key != missing}
            )
            if document.kind == kind
            else document
            for document in whole(gates)
        )

        part = score(Spec(required=REQUIRED, documents=documents), gates).dimensions["completeness"]

        assert part.score == round((300 + 100 * (len(required) - 1) / len(required)) / 4, 1)
        assert part.weak == (Weak(f"spec/{kind}.md", "section_missing", missing),)


def test_a_thin_section_counts_half_and_a_missing_document_nothing(gates: Gates) -> None:
    brief, requirements, architecture, _ = whole(gates)
    brief = replace(brief, sections={**brief.sections, "vision": "", "scope": "short"})

    part = score(Spec(required=REQUIRED, documents=(brief, requirements, architecture)), gates).dimensions[
        "completeness"
    ]

    assert part.score == round((50 + 50 * 4 / 6 + 100 + 100 + 0) / 4, 1)
    assert [(weak.where, weak.code, weak.detail) for weak in part.weak] == [
        ("spec/brief.md", "section_thin", "vision"),
        ("spec/brief.md", "section_thin", "scope"),
        ("epics", "document_missing", ""),
    ]


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({}, 100),
        ({"broken_links": ("a.md",)}, 90),
        ({"broken_links": ("a.md", "b.md")}, 80),
        ({"broken_links": tuple("abcdefghijkl")}, 0),
        ({"text": "Send an e-mail. The email goes out."}, 95),
        ({"text": "Send an e-mail. The email goes out. GitHub, Github, github."}, 90),
        ({"headings": ("Target users", "Goals And Metrics")}, 98),
        ({"text": "fields user_name and userMail"}, 98),
        (
            {
                "headings": ("Target users", "Goals And Metrics"),
                "text": "user_name userMail",
                "broken_links": ("x",),
            },
            86,
        ),
        ({"headings": ("目标用户", "Vision", "API", "API design", "Open questions")}, 100),
    ],
)
def test_consistency_penalties(gates: Gates, changes: dict[str, object], expected: float) -> None:
    document = replace(Document("brief", "spec/brief.md", {}), **changes)  # type: ignore[arg-type]

    assert (
        score(Spec(required=REQUIRED, documents=(document,)), gates).dimensions["consistency"].score
        == expected
    )


@pytest.mark.parametrize(
    ("texts", "found"),
    [
        (["e-mail", "email"], [("e-mail", "email")]),
        (["Email us", "an email"], []),
        (["real-time", "in real time"], []),
        (["REQ-001", "API", "api"], []),
        (["PostgreSQL", "postgresql"], [("PostgreSQL", "postgresql")]),
        (["日志", "日志采集"], []),
    ],
)
def test_spellings(texts: list[str], found: list[tuple[str, ...]]) -> None:
    assert mixed_spellings(texts) == found


def test_styles_are_judged_within_a_document() -> None:
    assert mixed_styles(("Goals And Metrics", "In Scope"), "") == []
    assert mixed_styles(("Goals And Metrics", "Out of the picture"), "") == ["headings"]
    assert mixed_styles((), "user_name and userName") == ["names"]


GOAL = Item("G-001", "Book slots online")
REQUIREMENT = Item("REQ-001", "Reserve", frozenset({"G-001"}))
ADR = Item("ADR-001", "One service", frozenset({"REQ-001"}))
STORY = Item("STORY-001-001", "Reserving", frozenset({"REQ-001"}))
OTHER = Item("G-002", "Answer quickly")


@pytest.mark.parametrize(
    ("spec", "expected", "weak"),
    [
        (Spec(goals=(GOAL,), requirements=(REQUIREMENT,), designs=(ADR,), stories=(STORY,)), 100, []),
        (
            Spec(goals=(GOAL, OTHER), requirements=(REQUIREMENT,), designs=(ADR,), stories=(STORY,)),
            90,
            [("G-002", "no_requirement")],
        ),
        (Spec(goals=(GOAL,), requirements=(REQUIREMENT,), stories=(STORY,)), 0, [("REQ-001", "no_design")]),
        (Spec(goals=(GOAL,), requirements=(REQUIREMENT,), designs=(ADR,)), 0, [("REQ-001", "no_story")]),
        (
            Spec(
                goals=(GOAL,),
                requirements=(REQUIREMENT,),
                designs=(ADR,),
                stories=(replace(STORY, refs=frozenset({"ADR-001"})),),
            ),
            100,
            [],
        ),
        # No ids: shared words decide, from 30 %: two of three words do, none of three do not.
        (
            Spec(
                goals=(GOAL,),
                requirements=(Item("REQ-001", "Patients book slots", frozenset()),),
                designs=(Item("Engine", "keeps slots that patients book"),),
                stories=(Item("STORY-001-001", "patients book"),),
            ),
            100,
            [],
        ),
        (
            Spec(
                goals=(GOAL,),
                requirements=(Item("REQ-001", "Remind people"),),
                designs=(ADR,),
                stories=(STORY,),
            ),
            50,
            [("G-001", "no_requirement")],
        ),
        # An id of another goal is an answer: shared words do not overrule it.
        (
            Spec(
                goals=(GOAL,),
                requirements=(Item("REQ-001", "Book slots online", frozenset({"G-009"})),),
                designs=(ADR,),
                stories=(STORY,),
            ),
            50,
            [("G-001", "no_requirement")],
        ),
        # A trace whose ends have nothing in common is none; what is not asked for in this version needs none.
        (
            Spec(
                goals=(GOAL,),
                requirements=(REQUIREMENT,),
                designs=(ADR,),
                stories=(STORY,),
                forced=frozenset({("STORY-001-001", "REQ-001")}),
            ),
            0,
            [("REQ-001", "no_story")],
        ),
        (
            Spec(
                goals=(GOAL,),
                requirements=(REQUIREMENT, Item("REQ-002", "Payments", open=False)),
                designs=(ADR,),
                stories=(STORY,),
            ),
            100,
            [],
        ),
        (Spec(), 0, [("", "no_goals")]),
        # A goal that is stated and not served is named; it takes little away from what is served.
        (
            Spec(
                goals=(GOAL, *(replace(OTHER, id=f"G-00{at}") for at in range(2, 6))),
                requirements=(REQUIREMENT,),
                designs=(ADR,),
                stories=(STORY,),
            ),
            90,
            [(f"G-00{at}", "no_requirement") for at in range(2, 6)],
        ),
        # A proposal of the writer counts neither for nor against; without a stated goal half is missing.
        (
            Spec(
                goals=(GOAL, replace(OTHER, given=False)),
                requirements=(REQUIREMENT, Item("REQ-002", "Payments", given=False)),
                designs=(ADR,),
                stories=(STORY,),
            ),
            100,
            [],
        ),
        (
            Spec(
                goals=(replace(GOAL, given=False),),
                requirements=(REQUIREMENT,),
                designs=(ADR,),
                stories=(STORY,),
            ),
            50,
            [("", "no_goals")],
        ),
        # A requirement about the same thing serves a goal that it does not name: by two words, as far as that says much.
        (
            Spec(
                goals=(
                    Item("G-001", "Desk staff spend less than one hour a week on lost umbrellas and keys"),
                ),
                requirements=(Item("REQ-001", "Staff note lost umbrellas"),),
                designs=(ADR,),
                stories=(STORY,),
            ),
            100,
            [],
        ),
    ],
)
def test_traceability(gates: Gates, spec: Spec, expected: float, weak: list[tuple[str, str]]) -> None:
    part = score(replace(spec, documents=whole(gates)), gates).dimensions["traceability"]

    assert part.score == expected
    assert [(found.where, found.code) for found in part.weak] == weak


def test_chinese_goals_are_traced_by_shared_words(gates: Gates) -> None:
    spec = Spec(
        documents=whole(gates),
        goals=(Item("G-001", "日志不丢失"),),
        requirements=(Item("REQ-001", "断网时缓存日志，不丢失任何一行"),),
        designs=(Item("缓存", "断网时缓存日志的组件"),),
        stories=(Item("STORY-001-001", "断网时缓存日志不丢失"),),
    )

    assert score(spec, gates).dimensions["traceability"].score == 100


@pytest.mark.parametrize(
    ("criterion", "testable"),
    [
        ("The page answers within 2 seconds.", True),
        ("Given a slot, when it is booked, then it is gone.", True),
        ("A taken slot is refused.", True),
        ("The list shows all bookings.", True),
        ("The system is fast and easy to use.", False),
        ("Good usability.", False),
        ("页面在两秒内响应。", True),
        ("假如缓存已满，当新日志到达，那么丢弃最旧的一行。", True),
        ("系统显示错误信息。", True),
        ("界面要友好。", False),
    ],
)
def test_testable_criteria(criterion: str, testable: bool) -> None:
    assert is_testable(criterion) is testable


ENGINE = Item("Engine", "keeps slots", frozenset({"REQ-001"}))


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({}, 0),
        ({"criteria": (Criterion("REQ-001", "answers in 2 s"), Criterion("REQ-002", "is nice"))}, 8.3),
        ({"criteria": tuple(Criterion(f"REQ-00{at}", "answers in 2 s") for at in range(3))}, 25),
        (
            {
                "criteria": tuple(Criterion(f"REQ-00{at}", "answers in 2 s") for at in range(3)),
                "requirements": (
                    Item("REQ-004", "x"),
                    Item("REQ-005", "y"),
                    Item("REQ-006", "z", given=False),
                ),
                "bare": frozenset({"REQ-004", "REQ-006"}),
            },
            18.8,
        ),
        ({"criteria": tuple(Criterion("REQ-001", "in 2 s", given=at < 1) for at in range(3))}, 8.3),
        ({"adrs": (AdrFacts("ADR-001", True, 2, True),)}, 25),
        ({"adrs": (AdrFacts("ADR-001", True, 2, True), AdrFacts("ADR-002", True, 0, True))}, 12.5),
        ({"adrs": (AdrFacts("ADR-001", False, 2, True), AdrFacts("ADR-002", True, 2, False))}, 0),
        (
            {"story_facts": (StoryFacts("S", "As a patient, I want a slot, so that I am seen.", 1, False),)},
            8.3,
        ),
        (
            {"story_facts": (StoryFacts("S", "As a patient, I want a slot, so that I am seen.", 0, False),)},
            0,
        ),
        ({"story_facts": (StoryFacts("S", "A slot.", 1, False),)}, 0),
        ({"story_facts": (StoryFacts("S", "A slot.", 0, True),)}, 8.3),
        ({"story_facts": (StoryFacts("S", "作为患者，我想要预约，以便就诊。", 1, False),)}, 8.3),
        ({"story_facts": (StoryFacts("S", "A slot.", 0, True),) * 3}, 25),
        ({"story_facts": (StoryFacts("S", "A slot.", 0, True, given=False),) * 3}, 0),
        ({"adrs": (AdrFacts("ADR-001", True, 2, True, given=False),)}, 0),
        ({"designs": (replace(ENGINE, given=False),)}, 0),
        ({"designs": (ENGINE, ADR)}, 25),
        ({"designs": (ENGINE, Item("Helper", "helps"))}, 12.5),
        ({"criteria": (Criterion("REQ-001", "answers in 2 s"),), "hollow": frozenset({"answers in 2 s"})}, 0),
        (
            {
                "criteria": (Criterion("REQ-001", "in 2 s"),),
                "adrs": (AdrFacts("ADR-001", True, 1, True),),
                "story_facts": (StoryFacts("S", "", 0, True),),
                "designs": (ENGINE,),
            },
            66.7,
        ),
    ],
)
def test_depth_is_the_mean_of_four(gates: Gates, changes: dict[str, object], expected: float) -> None:
    documents = (Document("architecture", "a", {}),)
    spec = replace(Spec(required=REQUIRED, documents=documents), **changes)  # type: ignore[arg-type]

    assert score(spec, gates).dimensions["depth"].score == expected


@pytest.mark.parametrize(
    ("stated", "text", "expected"),
    [
        ((), "", 100),
        (("Patients book slots online",), "patients book", 100),  # 2 of 4 words
        (("Patients book slots online today",), "patients book", 100),  # 2 of 5: 40 %
        (("Patients book slots online twice today",), "patients book", 0),  # 2 of 6
        (("Patients book slots", "Doctors write letters"), "patients book slots", 50),
        (("日志不丢失",), "保证日志不会丢失", 100),
        (("日志不丢失",), "界面友好", 0),
    ],
)
def test_coverage(gates: Gates, stated: tuple[str, ...], text: str, expected: float) -> None:
    spec = Spec(required=REQUIRED, documents=(Document("brief", "b", {}, text=text),), stated=stated)

    found = score(spec, gates)

    assert found.coverage == found.dimensions["coverage"].score == expected


def test_the_total_is_the_weighted_mean(gates: Gates) -> None:
    spec = Spec(
        required=REQUIRED,
        documents=(
            *whole(gates)[:2],
            replace(whole(gates)[2], broken_links=("x",)),
            whole(gates)[3],
        ),
        goals=(GOAL, OTHER),
        requirements=(REQUIREMENT,),
        designs=(ADR, ENGINE),
        stories=(STORY,),
        stated=("Unheard wishes",),
    )

    found = score(spec, gates)

    assert {name: part.score for name, part in found.dimensions.items()} == {
        "completeness": 100,
        "consistency": 90,
        "traceability": 90,
        "depth": 25,
        "coverage": 0,
    }
    assert found.total == pytest.approx(25 + 18 + 22.5 + 5 + 0, abs=0.1)
    assert found.gate is Gate.FAIL


def test_words_scattered_over_several_items_carry_nothing(gates: Gates) -> None:
    stated = ("Readers must reserve a rare book by telephone.",)
    scattered = (
        "Readers log in.\nA rare stamp is shown.\nThe book is listed.\nStaff use a telephone.\nReserve fuel."
    )
    together = "Readers reserve a book by telephone."

    covered = [
        score(
            Spec(required=REQUIRED, documents=(Document("brief", "b", {}, text=text),), stated=stated), gates
        ).coverage
        for text in (scattered, together)
    ]

    assert covered == [0.0, 100.0]
