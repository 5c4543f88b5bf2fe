"""A critique with something off the schema: what is clear counts, what is not is asked for again, no finding is lost."""

from __future__ import annotations

import json
from random import Random
from typing import Any

import pytest
from hypothesis import given

from orchestrator.domain.model import Consensus, Severity
from orchestrator.domain.verdicts import Reply, judge
from tests.fuzzing import SEEDS, examples, near, wrong_value
from workers.agents.choices import SYNONYMS
from workers.agents.extraction import extract
from workers.agents.findings import not_friendlier, with_findings
from workers.agents.replies import parse
from workers.documents.content import (
    ArchitectureReview,
    Brief,
    Critique,
    Discovery,
    Epics,
    Requirements,
    Weakness,
)

PASSWORDS = "passwords are kept in clear text"
CRITICAL = {"text": PASSWORDS, "severity": "critical"}


def read(value: Any) -> tuple[Critique, tuple[str, ...]]:
    """What was read of it, and what could not be."""
    parsed = parse(json.dumps(value), Critique)
    assert isinstance(parsed.model, Critique), parsed.error
    return parsed.model, parsed.lost


@pytest.mark.parametrize(
    "rating",
    [2, 2.0, "2", " 2 ", "2.0", "2/5", "2 / 5", "2 out of 5", "2 of 5", "**2/5**", "Rating: 2", "2 stars", "2 (poor)",
     {"value": 2}, {"score": "2", "max": 5, "value": 2} | {"max": None}, [2]],
)  # fmt: skip
def test_a_rating_that_denotes_a_whole_number_is_taken_however_it_is_written(rating: Any) -> None:
    critique, lost = read({"rating": rating, "weaknesses": [CRITICAL]})

    assert (critique.rating, lost) == (2, ())


@pytest.mark.parametrize(
    ("rating", "counts"),
    [(4.5, 4), ("3.5/5", 3), ("7/10", 3), ("8 of 10", 4), ("70%", 3), ("2-3", 2), ("between 3 and 4", 3), ("0/5", 1),
     (0, 1), ("bad", 2), ("good", 2), (9, 2), (-1, 2),
     ("-3", 2), ("-3/5", 2), ("1 -2", 1), (None, 2), (True, 2), ([], 2), ({}, 2), ("", 2), (7, 2)],
)  # fmt: skip
def test_an_unclear_rating_is_asked_for_again_and_counts_as_the_lowest_it_can_mean(
    rating: Any, counts: int
) -> None:
    critique, lost = read({"rating": rating, "weaknesses": [CRITICAL]})

    assert critique.rating == counts
    assert critique.weaknesses[0].text == PASSWORDS
    assert len(lost) == 1 and lost[0].startswith("rating: ")


@pytest.mark.parametrize(
    ("given_as", "severity"),
    [
        *(
            (word, grade)
            for grade in ("low", "medium", "high", "critical")
            for word in (grade, *SYNONYMS[grade])
        ),
        ("CRITICAL", "critical"),
        ("Critical!", "critical"),
        ("show-stopper", "critical"),
        (None, "medium"),
    ],
)
def test_a_severity_is_taken_in_any_spelling_and_by_its_other_names(given_as: Any, severity: str) -> None:
    critique, lost = read({"rating": 4, "weaknesses": [{"text": "a", "severity": given_as}]})

    assert (critique.weaknesses[0].severity, lost) == (severity, ())


@pytest.mark.parametrize(
    ("given_as", "severity"),
    [("P7", "high"), (5, "high"), ("critical or high", "critical"), (["low"], "low")],
)
def test_an_unclear_severity_is_asked_for_again_and_counts_as_the_gravest_word_in_it(
    given_as: Any, severity: str
) -> None:
    critique, lost = read({"rating": 4, "weaknesses": [{"text": "a", "severity": given_as}]})

    assert critique.weaknesses[0].severity == severity
    assert lost[0].startswith("weaknesses.0.severity: ")


@pytest.mark.parametrize(
    "weaknesses",
    [
        [CRITICAL],
        CRITICAL,
        [{"Text": PASSWORDS, "Severity": "CRITICAL"}],
        [{"issue": PASSWORDS, "level": "Critical"}],
        [f"[critical] {PASSWORDS}"],
        [f"Critical: {PASSWORDS}"],
        [f"{PASSWORDS} (severity: critical)"],
        f"- [critical] {PASSWORDS}\n- [low] wordy",
        {"critical": [PASSWORDS], "low": "wordy"},
        {"1": CRITICAL},
        json.dumps([CRITICAL]),
        [[CRITICAL]],
        [["critical", PASSWORDS]],
        [{"critical": PASSWORDS}],
        [{"critical": True, "issue": PASSWORDS}],
        [{"text": f"[critical] {PASSWORDS}"}],
        [{"issue": PASSWORDS, "severity_level": "critical"}],
        [{"text": PASSWORDS, "criticality": "critical"}],
        [{"text": PASSWORDS, "impact": "critical", "effort": "low"}],
        [{"text": PASSWORDS, "severity": None, "impact": "critical"}],
        [{"text": {"text": PASSWORDS, "severity": "critical"}}],
        [{"severity": "critical", "text": [{"t": PASSWORDS}]}],
        [{"severity": "critical", "text": {"a": {"b": PASSWORDS}}}],
        [{"severity": "critical", "text": True, "note": PASSWORDS}],
        [CRITICAL, 5, None, "", {"severity": "low"}],
    ],
)
def test_weaknesses_are_taken_in_any_form_that_says_them(weaknesses: Any) -> None:
    critique, _ = read({"rating": 4, "weaknesses": weaknesses})

    found = [weakness for weakness in critique.weaknesses if weakness.severity == "critical"]
    assert len(found) == 1 and PASSWORDS in found[0].text


def test_other_fields_are_taken_in_any_form_that_says_them() -> None:
    critique, lost = read(
        {
            "rating": 3,
            "strengths": "clear",
            "weaknesses": ["no budget"],
            "suggestions": [{"suggestion": "name a target", "priority": 1}, "", None],
            "missing_requirements": "- export\n- expiry",
            "riskLevel": "High",
            "risks": ["it rains"],
            "testability issues": "none",
            "open_questions": None,
            "assumptions": [12],
        }
    )

    assert lost == ()
    assert critique.model_dump(exclude_defaults=True) == {
        "rating": 3,
        "strengths": ["clear"],
        "weaknesses": [{"text": "no budget"}],
        "suggestions": ["name a target"],
        "missing_requirements": ["export", "expiry"],
        "risk_level": "high",
        "risks": [{"description": "it rains"}],
        "assumptions": ["12"],
    }


def test_a_critique_whose_parts_say_nothing_is_none() -> None:
    values: list[dict[str, Any]] = [
        {"rating": "bad"},
        {"rating": None, "weaknesses": []},
        {"strengths": [""]},
    ]
    for value in values:
        assert parse(json.dumps(value), Critique).model is None, value


def test_a_whole_critique_counts_rather_than_a_part_of_a_poorer_one() -> None:
    whole = json.dumps({"rating": 4, "strengths": ["clear"], "weaknesses": [CRITICAL]})

    parsed = parse(f'{{"rating": "bad", "strengths": ["a"]}} or rather\n{whole}', Critique)

    assert parsed.good
    assert isinstance(parsed.model, Critique) and parsed.model.rating == 4


def test_a_later_part_counts_rather_than_a_whole_critique_that_says_no_more() -> None:
    corrected = json.dumps({"rating": "bad", "weaknesses": [CRITICAL]})

    parsed = parse(f'{{"rating": 5, "weaknesses": []}} no, rather\n{corrected}', Critique)

    assert not parsed.good
    assert isinstance(parsed.model, Critique)
    assert (parsed.model.rating, [each.text for each in parsed.model.weaknesses]) == (2, [PASSWORDS])


@examples(300)
@given(random=SEEDS)
def test_whatever_else_is_spoilt_a_critical_weakness_blocks_the_round(random: Random) -> None:
    answer = near(Critique, random, 0.5)
    answer["rating"] = random.choice([answer.get("rating"), wrong_value(random), "4/5", "great", None])
    around = [wrong_value(random), near(Weakness, random, 0.7), "plain words"]
    answer["weaknesses"] = [
        *random.choices(around, k=random.randrange(3)),
        CRITICAL,
        *random.choices(around, k=2),
    ]

    critique, _ = read(answer)

    verdict = judge([_reply(critique)])
    assert (verdict.consensus, verdict.severity) == (Consensus.BLOCKED, Severity.HIGH)
    assert any(view.text == PASSWORDS for view in verdict.divergences)
    assert critique.rating in range(1, 6) and type(critique.rating) is int


def _reply(critique: Critique) -> Reply:
    return Reply(
        "quality", critique.rating, weaknesses=tuple((w.text, w.severity) for w in critique.weaknesses)
    )


def test_prose_without_a_plain_rating_keeps_its_findings_and_says_so() -> None:
    notes: list[str] = []

    found = extract(f"I would call it bad.\n\nWeaknesses:\n- {PASSWORDS} (critical)", Critique, notes.append)

    assert found is not None
    assert (found.rating, found.weaknesses[0].severity) == (2, "critical")
    assert any("partly unreadable" in note for note in notes)


def test_what_was_found_before_is_kept_in_its_gravest_words() -> None:
    before = Critique(
        rating=2,
        weaknesses=[Weakness(text=PASSWORDS, severity="critical")],
        missing_requirements=["export"],
        risk_level="critical",
    )
    friendly = Critique(
        rating=4,
        strengths=["clear"],
        weaknesses=[Weakness(text=PASSWORDS.upper(), severity="low")],
        risk_level="low",
    )

    again, instead = with_findings(friendly, before), not_friendlier(friendly, before)

    assert [(weakness.text, weakness.severity) for weakness in again.weaknesses] == [
        (PASSWORDS.upper(), "critical")
    ]
    assert (again.risk_level, again.missing_requirements, again.strengths) == (
        "critical",
        ["export"],
        ["clear"],
    )
    assert (again.rating, instead.rating) == (4, 2)


@pytest.mark.parametrize(
    ("schema", "value", "expected"),
    [
        (
            ArchitectureReview,
            {"concerns": ["[Critical] no backup"]},
            {"concerns": [{"text": "[Critical] no backup", "severity": "critical"}]},
        ),
        (
            ArchitectureReview,
            {"concerns": [{"text": "no backup", "severity": "BLOCKER"}], "suggestions": "add one"},
            {"concerns": [{"text": "no backup", "severity": "critical"}], "suggestions": ["add one"]},
        ),
        (
            Discovery,
            {
                "title": "T",
                "problem_statement": "P",
                "domain": "web",
                "complexity": "Medium",
                "constraints": None,
                "requirements": [
                    {
                        "text": "It must work",
                        "kind": "non-functional",
                        "moscow": "must have",
                        "category": "performance",
                    }
                ],
            },
            {
                "title": "T",
                "problem_statement": "P",
                "domain": "web",
                "complexity": "medium",
                "requirements": [
                    {"text": "It must work", "kind": "nonfunctional", "moscow": "Must", "category": "P"}
                ],
            },
        ),
        (
            Brief,
            {
                "title": "T",
                "vision": "to be fast",
                "situation": "slow",
                "users": ["staff"],
                "in_scope": "search",
            },
            {
                "title": "T",
                "vision": {"text": "to be fast"},
                "situation": "slow",
                "users": [{"name": "staff"}],
                "in_scope": [{"text": "search"}],
            },
        ),
        (
            Epics,
            {
                "items": [
                    {
                        "title": "E",
                        "goal": "g",
                        "moscow": "SHOULD",
                        "stories": [{"title": "S", "as_a": "a", "i_want": "b", "size": "Medium"}],
                    }
                ]
            },
            {
                "items": [
                    {
                        "title": "E",
                        "goal": "g",
                        "moscow": "Should",
                        "stories": [{"title": "S", "as_a": "a", "i_want": "b"}],
                    }
                ]
            },
        ),
    ],
)
def test_documents_and_reviews_are_read_by_the_same_rules(schema: Any, value: Any, expected: Any) -> None:
    parsed = parse(json.dumps(value), schema)

    assert parsed.good, (parsed.error, parsed.lost)
    assert parsed.model is not None and parsed.model.model_dump(exclude_defaults=True) == expected


def test_an_item_of_a_document_that_cannot_be_read_is_asked_for_again_and_named() -> None:
    items = [
        {"title": "One", "statement": "It must work"},
        {"moscow": "Must"},
        {"title": "Two", "statement": "Fast"},
    ]

    parsed = parse(json.dumps({"items": items}), Requirements)

    assert not parsed.good
    assert isinstance(parsed.model, Requirements)
    assert [item.title for item in parsed.model.items] == ["One", "Two"]
    assert any(each.startswith("items.1") for each in parsed.lost)
