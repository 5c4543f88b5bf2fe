"""Divergences, verdict, what follows, synthesis (docs/domain.md, section 8)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator.config.shipped import shipped_pack
from orchestrator.domain.critiques import Reply, Verdict
from orchestrator.domain.model import Consensus, Severity
from orchestrator.domain.pauses import PauseReason
from orchestrator.domain.synthesis import synthesize
from orchestrator.domain.verdicts import consequence, judge, key_finding, recommendation, report_text

ROUNDS = shipped_pack().rounds

VIEWS = ("coverage", "product", "quality", "risk", "technical")
CRITICAL = (("no login at all", "critical"),)


def replies(*ratings: int, **first: object) -> list[Reply]:
    """One reply a rating; `first` are further fields of the first one."""
    made = [Reply(view, rating) for view, rating in zip(VIEWS, ratings, strict=False)]
    return [Reply(made[0].perspective, made[0].rating, **first), *made[1:]]  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("given_replies", "kind", "severity"),
    [
        (replies(5, 5, missing_requirements=("export",)), "missing", "HIGH"),
        (replies(5, 5, risk_level="high"), "risk", "HIGH"),
        (replies(5, 5, risk_level="critical"), "risk", "HIGH"),
        (replies(5, 5, weaknesses=CRITICAL), "weakness", "HIGH"),
        (replies(2, 4), "rating", "MEDIUM"),
        (replies(1, 3), "rating", "MEDIUM"),
        (replies(2, 5), "spread", "MEDIUM"),
        (replies(3, 4, suggestions=("shorter",)), "suggestions", "LOW"),
    ],
)
def test_each_divergence_has_its_severity(given_replies: list[Reply], kind: str, severity: str) -> None:
    found = {d.kind: d.severity for d in judge(given_replies).divergences}

    assert found[kind] == severity


@pytest.mark.parametrize(
    "given_replies",
    [
        replies(5, 5),
        replies(3, 3, risk_level="medium"),
        replies(3, 5),
        replies(4, 4, weaknesses=(("slow", "high"),)),
    ],
)
def test_agreement_has_no_divergence(given_replies: list[Reply]) -> None:
    assert judge(given_replies).divergences == ()


@pytest.mark.parametrize(("ratings", "severity"), [((5, 5), "MEDIUM"), ((2, 5), "MEDIUM"), ((2, 2), "HIGH")])
def test_a_failed_gate_is_signed_off_by_no_rating(ratings: tuple[int, ...], severity: str) -> None:
    verdict = judge(replies(*ratings), failed=True)

    assert (verdict.consensus, verdict.severity) == (Consensus.BLOCKED, severity)
    assert "gate" in {d.kind for d in verdict.divergences}


def test_suggestions_are_no_divergence_of_their_own_beside_a_low_rating() -> None:
    kinds = {d.kind for d in judge(replies(2, 4, suggestions=("shorter",))).divergences}

    assert kinds == {"rating"}


@pytest.mark.parametrize(
    ("given_replies", "threshold", "consensus", "severity"),
    [
        (replies(4, 4), 3.0, "reached", None),
        (replies(3, 3), 3.0, "reached", None),  # the mean may equal the threshold
        (replies(2, 4), 3.0, "reached", None),  # one low rating, mean 3.0
        (replies(2, 5, 5), 3.0, "reached", None),  # a MEDIUM divergence does not block
        (replies(5, 5, risk_level="critical"), 3.0, "blocked", "HIGH"),
        (replies(5, 5, weaknesses=CRITICAL), 3.0, "blocked", "HIGH"),
        (replies(5, 5, missing_requirements=("export",)), 3.0, "blocked", "HIGH"),
        (replies(2, 2, 4), 3.0, "blocked", "HIGH"),  # two low ratings
        (replies(1, 1), 3.0, "blocked", "HIGH"),
        (replies(2), 3.0, "blocked", "HIGH"),  # a lone answer
        (replies(1), 3.0, "blocked", "HIGH"),
        (replies(2, 3), 3.0, "blocked", "MEDIUM"),  # one low rating, mean 2.5
        (replies(1, 3, 3), 3.0, "blocked", "MEDIUM"),
        (replies(5, 5, risk_level="high"), 3.0, "blocked", "MEDIUM"),
        (replies(2, 3, risk_level="high"), 3.0, "blocked", "MEDIUM"),
        (replies(3, 3), 3.5, "blocked", "LOW"),
        (replies(3, 4), 3.5, "reached", None),
        (replies(3), 3.5, "blocked", "LOW"),
        (replies(2, 2, 5, 5, 5), 3.0, "reached", None),  # low ratings alone block by the mean only
    ],
)
def test_each_row_of_the_verdict_table(
    given_replies: list[Reply], threshold: float, consensus: str, severity: str | None
) -> None:
    verdict = judge(given_replies, threshold)

    assert (verdict.consensus, verdict.severity) == (consensus, severity)


def test_a_verdict_needs_an_answer() -> None:
    with pytest.raises(ValueError, match="at least one"):
        judge([])


ANY_REPLIES = st.lists(
    st.builds(
        Reply,
        perspective=st.sampled_from(VIEWS),
        rating=st.integers(1, 5),
        strengths=st.lists(st.sampled_from(["clear scope and goals", "short", "testable goals"])).map(tuple),
        weaknesses=st.lists(
            st.tuples(
                st.sampled_from(["goals have no number", "no login", "scope is unclear and wide"]),
                st.sampled_from(["low", "medium", "high", "critical"]),
            ),
            max_size=2,
        ).map(tuple),
        suggestions=st.lists(st.sampled_from(["give goals a number", "add login"]), max_size=2).map(tuple),
        missing_requirements=st.lists(st.sampled_from(["export", "import"]), max_size=1).map(tuple),
        risk_level=st.sampled_from([None, "low", "medium", "high", "critical"]),
    ),
    min_size=1,
    max_size=5,
    unique_by=lambda reply: reply.perspective,
)
THRESHOLDS = st.sampled_from([1.0, 2.5, 3.0, 3.5, 5.0])


@given(ANY_REPLIES, st.randoms(), THRESHOLDS, st.booleans())
def test_the_order_of_replies_does_not_matter(
    made: list[Reply], random: object, threshold: float, standalone: bool
) -> None:
    shuffled = list(made)
    random.shuffle(shuffled)  # type: ignore[attr-defined]

    first, second = judge(made, threshold, standalone), judge(shuffled, threshold, standalone)

    assert first == second
    assert synthesize(made, first) == synthesize(shuffled, second)


@given(ANY_REPLIES, THRESHOLDS)
def test_a_grave_finding_always_blocks_high(made: list[Reply], threshold: float) -> None:
    grave = any(
        reply.missing_requirements
        or reply.risk_level == "critical"
        or any(grade == "critical" for _, grade in reply.weaknesses)
        for reply in made
    )

    verdict = judge(made, threshold)

    assert not grave or verdict.severity is Severity.HIGH
    assert (verdict.severity is None) == (verdict.consensus is Consensus.REACHED)


@given(ANY_REPLIES)
def test_low_occurs_only_with_a_threshold_above_three(made: list[Reply]) -> None:
    assert judge(made).severity is not Severity.LOW


REACHED, DIVIDED = judge(replies(4, 4)), judge(replies(2, 5, 5))
LOW, MEDIUM, HIGH = judge(replies(3, 3), 3.5), judge(replies(2, 3)), judge(replies(1, 1))


@pytest.mark.parametrize(
    ("verdict", "round_key", "is_revision", "standalone", "kind", "pause", "completes"),
    [
        (REACHED, "DISCUSS-003", False, False, "none", None, True),
        (DIVIDED, "DISCUSS-003", False, False, "warn", None, True),
        (LOW, "DISCUSS-003", False, False, "none", None, True),
        (MEDIUM, "DISCUSS-003", False, False, "warn", None, True),
        (MEDIUM, "DISCUSS-003", True, False, "warn", None, True),
        (MEDIUM, "DISCUSS-006", False, False, "warn", None, True),
        (HIGH, "DISCUSS-001", False, False, "revise", None, True),
        (HIGH, "DISCUSS-005", False, False, "revise", None, True),
        (HIGH, "DISCUSS-003", True, False, "pause", "revision_exhausted", True),
        (HIGH, "DISCUSS-006", False, False, "pause", "signoff_blocked", True),
        (HIGH, "DISCUSS-006", True, False, "pause", "signoff_blocked", True),
        (HIGH, "DISCUSS-003", False, True, "pause", "discussion_blocked", False),
        (HIGH, "DISCUSS-003", True, True, "pause", "revision_exhausted", True),
        (HIGH, "DISCUSS-006", False, True, "pause", "signoff_blocked", True),
        (MEDIUM, "DISCUSS-003", False, True, "warn", None, True),
        (LOW, "DISCUSS-003", False, True, "none", None, True),
    ],
)
def test_what_follows_each_verdict(
    verdict: Verdict,
    round_key: str,
    is_revision: bool,
    standalone: bool,
    kind: str,
    pause: str | None,
    completes: bool,
) -> None:
    found = consequence(
        verdict, signs_off=ROUNDS[round_key].signs_off, is_revision=is_revision, standalone=standalone
    )

    assert (found.kind, found.pause, found.completes) == (kind, pause, completes)
    assert found.ends_loop == (kind in ("revise", "pause"))
    assert found.warns == (kind == "warn")


def test_a_decided_discussion_completes_with_a_warning() -> None:
    found = consequence(HIGH, signs_off=False, is_revision=False, standalone=True, decided=True)

    assert (found.kind, found.completes) == ("warn", True)


def test_a_standalone_round_without_common_ground_asks_the_user() -> None:
    apart = [
        Reply("product", 5, strengths=("broad market appeal",)),
        Reply("risk", 3, suggestions=("name a fallback supplier",)),
    ]

    inline, standalone = judge(apart), judge(apart, standalone=True)
    found = consequence(standalone, signs_off=False, is_revision=False, standalone=True)

    assert inline.consensus is Consensus.REACHED
    assert standalone.consensus is Consensus.BLOCKED
    assert found.pause is PauseReason.DISCUSSION_BLOCKED


@pytest.mark.parametrize(
    "together",
    [
        [Reply("product", 4), Reply("risk", 5)],
        [
            Reply("product", 5, suggestions=("name a fallback supplier",)),
            Reply("risk", 3, suggestions=("a fallback supplier is missing",)),
        ],
        [Reply("product", 3)],
    ],
)
def test_a_standalone_round_with_common_ground_is_reached(together: list[Reply]) -> None:
    assert judge(together, standalone=True).consensus is Consensus.REACHED


@pytest.mark.parametrize(
    ("verdict", "round_key", "is_revision", "expected"),
    [
        (REACHED, "DISCUSS-003", False, "proceed"),
        (LOW, "DISCUSS-003", False, "proceed-with-caution"),
        (MEDIUM, "DISCUSS-006", True, "proceed-with-caution"),
        (HIGH, "DISCUSS-003", False, "revise"),
        (HIGH, "DISCUSS-003", True, "escalate"),
        (HIGH, "DISCUSS-006", False, "escalate"),
    ],
)
def test_the_recommendation_follows_the_severity(
    verdict: Verdict, round_key: str, is_revision: bool, expected: str
) -> None:
    assert recommendation(verdict, signs_off=ROUNDS[round_key].signs_off, is_revision=is_revision) == expected


def test_the_synthesis_names_themes_gaps_and_what_to_do_first() -> None:
    made = [
        Reply("product", 4, strengths=("The goals are clear",), suggestions=("Give each goal a number",)),
        Reply(
            "quality", 3, weaknesses=(("Each goal needs a number", "high"),), open_questions=("Who pays?",)
        ),
        Reply(
            "coverage",
            3,
            missing_requirements=("export to CSV",),
            weaknesses=(("The goals are not clear", "low"),),
        ),
    ]

    found = synthesize(made, judge(made))

    assert [theme.perspectives for theme in found.themes if theme.kind == "concern"] == [
        ("product", "quality")
    ]
    assert found.gaps == ("export to CSV",)
    assert [(item.text, item.priority) for item in found.actions] == [
        ("export to CSV", "high"),
        ("Each goal needs a number", "medium"),
        ("The goals are not clear", "low"),
    ]
    assert ("product", "coverage") in [view.perspectives for view in found.views if view.kind == "opposed"]
    assert found.questions == ("Who pays?",)


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        (Reply("quality", 2, weaknesses=(("slow", "low"), ("leaks", "critical"))), "leaks"),
        (Reply("coverage", 2, missing_requirements=("export",), weaknesses=(("slow", "high"),)), "export"),
        (Reply("product", 4, strengths=("clear",), suggestions=("shorter",)), "clear"),
        (Reply("product", 4), ""),
    ],
)
def test_the_key_finding_is_the_gravest(reply: Reply, expected: str) -> None:
    assert key_finding(reply) == expected


@pytest.mark.parametrize(
    ("signs_off", "by_rules", "shown"),
    [
        (True, True, "consensus_reached (mean=4.0, by rules alone)"),
        (True, False, "consensus_reached (mean=4.0)"),
        (False, True, "consensus_reached (mean=4.0)"),
    ],
)
def test_a_sign_off_by_rules_alone_says_so(signs_off: bool, by_rules: bool, shown: str) -> None:
    made = judge(replies(4, 4))

    text = report_text(
        "reviewer", "QUALITY-001", "DISCUSS-006", made, [], "a", None, signs_off=signs_off, by_rules=by_rules
    )

    assert text.splitlines()[0].endswith(f"Discuss DISCUSS-006: {shown}")


def test_the_report_of_a_blocked_round_has_its_fixed_form() -> None:
    made = replies(2, 2, missing_requirements=("export", "import"))

    text = report_text(
        "writer",
        "DRAFT-002",
        "DISCUSS-003",
        judge(made),
        ["a", "b", "c", "d"],
        "spec/requirements/_index.md",
        "discussions/DISCUSS-003-discussion.md",
    )

    assert text.splitlines() == [
        "[writer] DRAFT-002 complete. Discuss DISCUSS-003: consensus_blocked (severity=HIGH)",
        "Divergences:",
        "- (HIGH) missing requirement: export [coverage]",
        "- (HIGH) missing requirement: import [coverage]",
        "- (MEDIUM) rated 2 of 5: export [coverage]",
        "Action items:",
        "1. a",
        "2. b",
        "3. c",
        "Recommendation: revise",
        "Artifact: spec/requirements/_index.md",
        "Discussion: discussions/DISCUSS-003-discussion.md",
    ]
