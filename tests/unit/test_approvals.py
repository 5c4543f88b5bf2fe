"""What an approval is given for: digests by subject, and the token that names one (docs/domain.md, section 4)."""

from __future__ import annotations

import pytest

from orchestrator.domain.approvals import TOKEN_DIGITS, Token, digest_of, parse_token
from orchestrator.domain.errors import UsageError
from orchestrator.domain.pauses import PAUSES, PauseReason

DIGEST = "0123456789abcdef" * 4
FILES = {
    "spec/product-brief.md": "a",
    "spec/architecture/_index.md": "b",
    "plan/plan.json": "c",
    "architecture/arch-one.md": "d",
    "discussions/DISCUSS-001-discussion.md": "e",
}


@pytest.mark.parametrize(
    ("reason", "counts"),
    [
        ("checkpoint", {"spec/product-brief.md", "spec/architecture/_index.md"}),
        ("signoff_blocked", {"spec/product-brief.md", "spec/architecture/_index.md"}),
        ("revision_exhausted", {"spec/product-brief.md", "spec/architecture/_index.md"}),
        ("discussion_blocked", {"spec/product-brief.md", "spec/architecture/_index.md"}),
        ("plan_approval", {"plan/plan.json"}),
        (
            "supervision_blocked",
            {"spec/product-brief.md", "spec/architecture/_index.md", "plan/plan.json"},
        ),
    ],
)
def test_an_approval_is_bound_to_the_documents_it_is_about_and_to_no_others(
    reason: str, counts: set[str]
) -> None:
    folders = PAUSES[PauseReason(reason)].approves
    before = digest_of(folders, FILES)

    changed = {path for path in FILES if digest_of(folders, {**FILES, path: "new"}) != before}

    assert changed == counts


@pytest.mark.parametrize(
    "reason", ["task_failed", "budget", "disk", "stalled", "agent_unavailable", "user", "discussion_feedback"]
)
def test_a_pause_that_is_no_approval_approves_nothing(reason: str) -> None:
    assert PAUSES[PauseReason(reason)].approves == ()


def test_a_digest_does_not_depend_on_the_order_of_the_artifacts() -> None:
    backwards = dict(reversed(FILES.items()))

    assert digest_of(("spec/",), FILES) == digest_of(("spec/",), backwards)


def test_a_token_is_the_number_of_a_pause_and_the_beginning_of_a_digest() -> None:
    token = Token(12, DIGEST)

    read = parse_token(str(token))

    assert str(token) == f"12.{DIGEST[:TOKEN_DIGITS]}"
    assert read.pause == 12
    assert read.names(DIGEST)
    assert not read.names("f" + DIGEST[1:])
    assert parse_token(f" 12.{DIGEST.upper()} ").names(DIGEST)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "12",
        "12.",
        ".0123456789abcdef",
        "12.0123456789abcde",
        "x.0123456789abcdef",
        f"1.{DIGEST}0",
        "٣.0123456789abcdef",
    ],
)
def test_what_is_no_token_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="--expect needs a token"):
        parse_token(text)
