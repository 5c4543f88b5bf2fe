"""Every row of the verdict table, and what follows it: an agent says chosen ratings, the real product acts on them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.court import Court, court, every, rated
from tests.patience import patient

LONE = "rounds:\n  DISCUSS-005:\n    perspectives: [product]\n"
STRICT = "gates:\n  consensus_threshold: 3.5\n"
CRITICAL = {"text": "passwords are kept in clear text", "severity": "critical"}
SHORT = {  # requirements that forget the export
    "items": [
        {"title": "Short links", "statement": "The service makes short links.", "source": "proposed"},
        {
            "title": "Expiry",
            "statement": "It must expire links after 30 days.",
            "acceptance_criteria": ["A link is refused after 30 days."],
            "quote": "It must expire links after 30 days.",
            "source": "stated",
        },
    ]
}


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Court]:
    with court(tmp_path_factory.mktemp("verdicts")) as made:
        yield made


@pytest.mark.long
def test_high_by_each_of_its_rows_makes_a_revision_that_runs_before_the_successors(bench: Court) -> None:
    with bench.pack(LONE):
        session, gave = bench.start(
            {
                "RESEARCH-001/risk": {
                    "rating": 4,
                    "risk_level": "critical",
                    "suggestions": ["ask the lawyers"],
                },
                **rated("DRAFT-001", product=2, technical=1),
                "DRAFT-002/requirements": SHORT,
                "DRAFT-002/coverage": {
                    "rating": 4,
                    "missing_requirements": ["It must export statistics as CSV."],
                },
                "DRAFT-003/technical": {"rating": 4, "weaknesses": [CRITICAL]},
                **rated("DRAFT-004", product=2),
            }
        )

    verdicts = bench.verdicts(session)
    blocked = ["RESEARCH-001", "DRAFT-001", "DRAFT-002", "DRAFT-003", "DRAFT-004"]
    assert gave.code == 0, gave.err
    assert {key: verdicts[key][:2] for key in blocked} == dict.fromkeys(blocked, ("blocked", "HIGH"))
    assert {f"{key}-R1" for key in blocked} | {"QUALITY-001"} == verdicts.keys() - set(blocked)
    assert all(verdicts[key][0] == "reached" for key in verdicts if key not in blocked)
    assert bench.order(session) == [each for key in blocked for each in (key, f"{key}-R1")] + ["QUALITY-001"]
    for key, behind in zip(blocked, [*blocked[1:], "QUALITY-001"], strict=True):
        assert bench.blockers(session, f"{key}-R1") == {key}
        assert bench.blockers(session, behind) == {key, f"{key}-R1"}


def test_a_revision_answers_what_divided_and_what_was_asked_for(bench: Court) -> None:
    session, gave = bench.start(
        {
            "DRAFT-002/requirements": SHORT,
            "DRAFT-002/quality": {"rating": 3, "suggestions": ["say who may delete a link"]},
            "DRAFT-002/coverage": {
                "rating": 4,
                "missing_requirements": ["It must export statistics as CSV."],
            },
        }
    )

    words = "\n".join(bench.payload(session, "DRAFT-002-R1")["remarks"])
    prompt = bench.asked(session, "DRAFT-002-R1", "requirements")
    assert gave.code == 0, gave.err
    for part in ("missing requirement: It must export statistics as CSV.", "say who may delete a link"):
        assert part in words
        assert part in prompt.partition("## To be answered in this version")[2]
    assert "export statistics" in bench.document(session, "spec/requirements")
    assert "consensus_blocked (severity=HIGH)" in said(bench, session, "writer")
    assert "Recommendation: revise" in said(bench, session, "writer")
    assert "It must export statistics as CSV." in bench.file(session, "discussions/DISCUSS-003-discussion.md")
    assert "Verdict: reached" in bench.file(session, "discussions/DISCUSS-003-R1-discussion.md")
    loops = bench.project.rows(
        "SELECT t.key, r.opened_by FROM runs r JOIN tasks t ON t.id = r.task_id WHERE r.session_id = ?",
        session,
    )
    assert ("DRAFT-002-R1", "offer") in loops  # the verdict ended the inner loop ...
    assert ("DRAFT-003", "loop") in loops  # ... and the revision's run goes on with the next document


@pytest.mark.long
def test_medium_goes_on_with_a_warning_and_a_blocked_sign_off_waits_for_a_person(bench: Court) -> None:
    session, gave = bench.start(
        {
            "RESEARCH-001/risk": {"rating": 4, "risk_level": "high"},
            "RESEARCH-001/product": {"rating": 4, "suggestions": ["interview three customers"]},
            "DRAFT-001/product": {
                "rating": 1,
                "weaknesses": [{"text": "nobody would pay", "severity": "high"}],
            },
            **rated("DRAFT-001", technical=3, quality=3, coverage=3),
            **rated("DRAFT-002", product=2, quality=5, coverage=5),
            "DRAFT-003/technical": {"rating": 4, "suggestions": ["name the cache"]},
            **rated("QUALITY-001", product=1, technical=1),
        }
    )

    verdicts = bench.verdicts(session)
    issues = bench.file(session, "wisdom/issues.md")
    assert verdicts["RESEARCH-001"][:2] == ("blocked", "MEDIUM")  # risk_level high
    assert verdicts["DRAFT-001"] == ("blocked", "MEDIUM", 2.5)  # one rating <= 2
    assert verdicts["DRAFT-002"] == ("reached", None, 4.0)  # with a MEDIUM divergence
    assert verdicts["DRAFT-003"][0] == verdicts["DRAFT-004"][0] == "reached"
    warned = {
        "DRAFT-001": ("risk level high", "interview three customers"),
        "DRAFT-002": ("rated 1 of 5", "nobody would pay"),
        "DRAFT-003": ("rated 2 of 5",),
    }
    kinds = {"DRAFT-001": "brief", "DRAFT-002": "requirements", "DRAFT-003": "architecture"}
    for following, words in warned.items():
        for word in words:
            assert word in issues
            assert word in bench.asked(session, following, kinds[following])
    assert "name the cache" in bench.asked(session, "DRAFT-004", "epics")
    assert "name the cache" not in issues  # nothing divided
    assert gave.code == 3, gave.err
    assert bench.project.status(session) == ("paused", "signoff_blocked")
    assert bench.project.tasks(session)["QUALITY-001"] == "completed"
    assert len(bench.project.tasks(session)) == 6
    assert "Recommendation: escalate" in said(bench, session, "reviewer")

    check = bench.project.run("check", session)
    resumed = bench.project.run("resume", session, "--words", "good enough for a first look")

    assert check.code == 0 and "signoff_blocked" in check.out
    assert resumed.code == 0, resumed.err
    assert bench.project.status(session) == ("completed", None)
    assert bench.decisions(session)[-1][0] == "accept_signoff QUALITY-001"
    assert bench.decisions(session)[-1][1] == "good enough for a first look"
    assert bench.decisions(session)[-1][2]

    bench.plan(rated("QUALITY-001-R1", product=1, technical=1))
    again = bench.project.run("recheck", "--session", session)

    assert again.code == 3
    assert bench.project.status(session) == (
        "paused",
        "signoff_blocked",
    )  # not revision_exhausted: it is a sign-off
    assert bench.project.run("resume", session).code == 0
    assert bench.pauses(session) == 2


def test_low_by_a_higher_threshold_goes_on_and_a_revision_blocked_high_is_exhausted(bench: Court) -> None:
    with bench.pack(STRICT):
        session, gave = bench.start(
            {
                **rated("DRAFT-001", product=3, technical=3, quality=3, coverage=4),
                "DRAFT-001/product": {"rating": 3, "suggestions": ["name a first customer"]},
                "DRAFT-003/technical": {"rating": 4, "weaknesses": [CRITICAL]},
                "DRAFT-003-R1/technical": {"rating": 4, "weaknesses": [CRITICAL]},
                "DRAFT-003-R2/technical": {"rating": 4, "weaknesses": [CRITICAL]},
            }
        )

    assert bench.verdicts(session)["DRAFT-001"] == ("blocked", "LOW", 3.25)
    assert "name a first customer" in bench.asked(session, "DRAFT-002", "requirements")
    assert "DISCUSS-002" not in bench.file(session, "wisdom/issues.md")
    assert "severity=LOW" in said(bench, session, "writer")
    assert gave.code == 3, gave.err
    assert bench.project.status(session) == ("paused", "revision_exhausted")
    assert "DRAFT-003-R2" not in bench.project.tasks(session)
    assert bench.project.tasks(session)["DRAFT-004"] == "pending"
    for shown in (gave.out, bench.project.run("check", session).out):
        assert f"HIGH: {CRITICAL['text']} [technical]" in shown
        assert "lifecycle discuss 4" in shown
    assert CRITICAL["text"] in bench.project.run("discuss", "4", "--session", session).out

    revised = bench.project.run("revise", "DRAFT-003", "Hash the passwords", "--session", session)
    third = bench.project.run("revise", "DRAFT-003", "Hash the passwords!", "--session", session)
    resumed = bench.project.run("resume", session)

    assert revised.code == 3 and "DRAFT-003-R2" in revised.err
    assert third.code == 2 and "--force" in third.err
    assert resumed.code == 0, resumed.err
    assert bench.project.status(session) == ("completed", None)
    assert bench.decisions(session)[-1][0] == "accept_revision DRAFT-003-R2"
    assert bench.pauses(session) == 2
    assert bench.order(session)[-2:] == ["DRAFT-004", "QUALITY-001"]


@pytest.mark.long
def test_one_rating_of_two_among_good_ones_is_no_high_but_a_lone_one_is(bench: Court) -> None:
    with bench.pack(LONE):
        session, gave = bench.start(rated("DRAFT-004", product=2))
    beside, _ = bench.start(rated("DRAFT-004", product=2, technical=3, quality=3, coverage=3))

    assert gave.code == 0
    assert bench.verdicts(session)["DRAFT-004"] == ("blocked", "HIGH", 2.0)
    assert bench.verdicts(beside)["DRAFT-004"] == ("blocked", "MEDIUM", 2.75)
    assert "DRAFT-004-R1" in bench.project.tasks(session)
    assert "DRAFT-004-R1" not in bench.project.tasks(beside)


@pytest.mark.long
def test_standalone_costs_twelve_tasks_and_asks_a_person_instead_of_revising(bench: Court) -> None:
    weak = {"rating": 4, "weaknesses": [CRITICAL], "open_questions": ["who hosts it?"]}
    session, gave = bench.start(
        {
            "DISCUSS-002/technical": weak,
            **rated("DISCUSS-003", quality=1, product=3, coverage=3),
            **rated("DISCUSS-006", product=1, technical=1),
        },
        "--discuss",
        "standalone",
    )

    tasks = bench.project.tasks(session)
    assert gave.code == 3, gave.err
    assert bench.project.status(session) == ("paused", "discussion_blocked")
    assert len(tasks) == 12
    assert (tasks["DRAFT-001"], tasks["DISCUSS-002"], tasks["DRAFT-002"]) == (
        "completed",
        "pending",
        "pending",
    )
    assert bench.project.story("DISCUSS-002", session) == ["released"]
    assert bench.attempts(session, "DISCUSS-002") == 0
    assert f"option: {CRITICAL['text']}" in bench.project.run("check", session).out
    assert f"HIGH: {CRITICAL['text']} [technical]" in gave.out  # the fault, and who found it
    faults = bench.project.run("check", session, "--json").json()["pause"]["faults"]
    assert faults[0] == {"severity": "HIGH", "perspectives": ["technical"], "text": CRITICAL["text"]}

    without = bench.project.run("resume", session)
    assert (without.code, bench.project.status(session)) == (2, ("paused", "discussion_blocked"))
    assert CRITICAL["text"] in without.err and "--decide" in without.err

    decided = bench.project.run("resume", session, "--decide", "Hash them with a slow function")

    record = bench.file(session, "discussions/DISCUSS-002-discussion.md")
    assert "Hash them with a slow function" in record
    assert "discussions/DISCUSS-001-discussion.md" in record
    assert "who hosts it?" in record
    assert "Hash them with a slow function" in bench.asked(session, "DRAFT-002", "requirements")
    assert bench.project.story("DISCUSS-002", session) == ["released", "completed"]
    assert bench.verdicts(session)["DISCUSS-003"][:2] == ("blocked", "MEDIUM")
    assert "DISCUSS-003" in bench.file(session, "wisdom/issues.md")
    assert decided.code == 3, decided.err
    assert bench.project.status(session) == ("paused", "signoff_blocked")
    assert bench.project.run("resume", session).code == 0
    assert bench.project.status(session) == ("completed", None)
    assert len(bench.project.tasks(session)) == 12
    sent = {row[0] for row in bench.project.rows("SELECT type FROM messages WHERE session_id = ?", session)}
    assert {"discussion_blocked", "discussion_ready"} <= sent


@pytest.mark.long
def test_a_standalone_round_in_which_all_diverge_is_blocked_too(bench: Court) -> None:
    session, gave = bench.start(
        {
            "DISCUSS-004/technical": {"rating": 5, "strengths": ["small parts"]},
            "DISCUSS-004/risk": {"rating": 3, "weaknesses": [{"text": "one region only", "severity": "low"}]},
        },
        "--discuss",
        "standalone",
    )

    assert (gave.code, bench.project.status(session)) == (3, ("paused", "discussion_blocked"))

    bench.plan({})
    revised = bench.project.run("revise", "DRAFT-003", "Two regions", "--session", session)

    assert revised.code == 0, revised.err
    assert bench.project.status(session) == ("completed", None)
    assert bench.blockers(session, "DISCUSS-004") == {"DRAFT-003", "DRAFT-003-R1"}
    assert bench.project.story("DISCUSS-004", session) == ["released", "completed"]
    assert bench.verdicts(session)["DISCUSS-004"][0] == "reached"
    assert len(bench.project.tasks(session)) == 13


@pytest.mark.long
def test_revising_in_the_standalone_form_discusses_what_was_revised(bench: Court) -> None:
    session, gave = bench.start({}, "--discuss", "standalone")
    assert gave.code == 0, gave.err
    bench.plan({"DISCUSS-005-R1/product": {"rating": 4, "weaknesses": [CRITICAL]}})

    revised = bench.project.run("revise", "DRAFT-004", "Fewer stories", "--session", session)

    assert revised.code == 3, revised.err
    assert bench.project.status(session) == ("paused", "revision_exhausted")
    assert bench.project.tasks(session)["DISCUSS-005-R1"] == "completed"
    assert bench.project.run("resume", session).code == 0
    assert bench.order(session)[12:] == ["DRAFT-004-R1", "DISCUSS-005-R1", "QUALITY-001-R1", "DISCUSS-006-R1"]
    assert bench.project.status(session) == ("completed", None)


def test_without_discussion_there_is_none(bench: Court) -> None:
    session, gave = bench.start(every("DRAFT-001", {"rating": 1}), "--discuss", "off")

    assert gave.code == 0, gave.err
    assert list(bench.project.tasks(session).values()) == ["completed"] * 6
    assert bench.verdicts(session) == {}
    assert not bench.asked(session, "DRAFT-001", "product")
    assert not any(path.startswith("discussions/") for path in bench.digests(session))


@pytest.mark.long
def test_a_discussion_never_fails_its_task(tmp_path: Path) -> None:
    with court(tmp_path, {"discuss_seconds": patient(3)}) as slow:
        hang, _ = slow.hold("never")
        prose = "Overall rating: 2 out of 5\n\nWeaknesses:\n- (high) the price is a guess\n"
        session, gave = slow.start(
            {
                "RESEARCH-001/product": hang,
                "DRAFT-001/quality": {"exit": 7},
                "DRAFT-002/product": {"say": prose},
                "DRAFT-002/quality": {"say": "no idea"},
                **every("DRAFT-003", hang, ("technical", "risk")),
            }
        )

        partial = slow.file(session, "discussions/DISCUSS-001-discussion.md")
        fallen = slow.file(session, "discussions/DISCUSS-002-discussion.md")
        extracted = slow.file(session, "discussions/DISCUSS-003-discussion.md")
        verdicts = slow.verdicts(session)
        assert gave.code == 0, gave.err
        assert "PARTIAL" in partial and "time ran out before product answered" in partial
        assert verdicts["RESEARCH-001"][0] == "reached"
        assert "| QA Lead | builtin |" in fallen
        assert "| Product Manager | judge | 2 | (high) the price is a guess |" in extracted
        assert "| QA Lead | builtin |" in extracted
        assert "DRAFT-003" not in verdicts
        assert "the discussion DISCUSS-004 failed" in slow.file(session, "wisdom/issues.md")
        assert slow.project.story("DRAFT-003", session) == ["completed"]
        assert slow.project.status(session) == ("completed", None)


def said(bench: Court, session: str, role: str) -> str:
    """Everything a role reported."""
    return "\n".join(
        row[0]
        for row in bench.project.rows(
            "SELECT summary FROM messages WHERE session_id = ? AND sender = ? ORDER BY number", session, role
        )
    )


def test_a_critique_with_one_field_off_the_schema_still_says_what_it_found(bench: Court) -> None:
    weak = {"strengths": ["short"], "weaknesses": [CRITICAL]}
    session, gave = bench.start(
        {
            "RESEARCH-001/risk": {"rating": "4/5", "risk_level": "CRITICAL"},
            "DRAFT-001/product": {"rating": "bad", **weak},
            "DRAFT-002/quality": {
                "rating": 4,
                "weaknesses": f"[critical] {CRITICAL['text']}",
                "suggestions": None,
            },
            "DRAFT-003/technical": {"say": f"I rate it low.\n\nWeaknesses:\n- {CRITICAL['text']} (critical)"},
            "DRAFT-004/product": {"rating": 2.0, **weak, "weaknesses": [{**CRITICAL, "severity": "Blocker"}]},
        }
    )

    verdicts = bench.verdicts(session)
    blocked = ["RESEARCH-001", "DRAFT-001", "DRAFT-002", "DRAFT-003", "DRAFT-004"]
    record = bench.file(session, "discussions/DISCUSS-002-discussion.md")
    calls = bench.project.rows(
        "SELECT t.key, c.perspective, c.agent, c.retries FROM agent_calls c JOIN tasks t ON t.id = c.task_id "
        "WHERE c.session_id = ? AND c.purpose = 'critique' AND (c.retries > 0 OR c.agent = 'builtin')",
        session,
    )
    assert gave.code == 0, gave.err
    assert {key: verdicts[key][:2] for key in blocked} == dict.fromkeys(blocked, ("blocked", "HIGH"))
    assert 'product: the answer was partly unreadable: rating: "bad" is no whole number' in record
    assert "the rating counts as 2" in record and CRITICAL["text"] in record
    assert set(calls) == {("DRAFT-001", "product", "judge", 1), ("DRAFT-003", "technical", "judge", 1)}
