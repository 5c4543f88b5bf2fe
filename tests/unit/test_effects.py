"""What a finding led to, decided by comparing the version it read with the next one."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator.domain.effects import Effect, Versions

INDEX = """\
---
version: 1
generated_at: "2026-11-21T06:53:01Z"
---

# Requirements

Written by the agent builtin (task DRAFT-002, version 1).

## Summary

| Must | [REQ-001](REQ-001-join.md), [REQ-002](REQ-002-wait.md) |

## Integrations

- The text message gateway has an HTTP API.

### STORY-001-001 Join a queue

As a patient, I want to join a queue.
"""
ITEM = "# REQ-001\n\nPatients join a queue from a web page.\n\n## Criteria\n\n- The page loads in 2 s.\n"
OTHER = "# REQ-002\n\nPatients see the waiting time.\n"
BEFORE = {"r/_index.md": INDEX, "r/REQ-001-join.md": ITEM, "r/REQ-002-wait.md": OTHER}


def changed(path: str, old: str, new: str) -> dict[str, str]:
    assert old in BEFORE[path]
    return {**BEFORE, path: BEFORE[path].replace(old, new)}


@pytest.mark.parametrize(
    ("finding", "after", "effect"),
    [
        (
            "Add a criterion to REQ-001",
            changed("r/REQ-001-join.md", "in 2 s.", "in 2 s.\n- Offline, it says so."),
            "changed",
        ),
        ("Add a criterion to REQ-002", changed("r/REQ-001-join.md", "in 2 s.", "in 1 s."), "neither"),
        (
            "REQ-001 has no failure case",
            changed("r/_index.md", "REQ-002-wait.md)", "REQ-002-wait.md), [REQ-003](REQ-003-x.md)"),
            "neither",
        ),
        (
            "STORY-001-001 does not say why",
            changed("r/_index.md", "join a queue.", "join a queue, so that I can wait at home."),
            "changed",
        ),
        (
            'What if "text message gateway" is away?',
            changed("r/_index.md", "an HTTP API", "an HTTP API and a retry queue"),
            "changed",
        ),
        (
            "Decide what people see while this is away: The text message gateway has an HTTP API",
            changed("r/_index.md", "- The text message gateway has an HTTP API.", "- none"),
            "changed",
        ),
        (
            "The integrations are thin",
            changed("r/_index.md", "an HTTP API.", "an HTTP API.\n- A login provider."),
            "changed",
        ),
        ("The integrations are thin", changed("r/REQ-001-join.md", "2 s", "1 s"), "neither"),
        (
            "Nobody says how a cancelled place in the queue is refilled",
            {
                **BEFORE,
                "r/REQ-003-cancel.md": "# REQ-003\n\nA cancelled place in the queue is refilled at once.\n",
            },
            "answered",
        ),
        (
            "Nobody says how a cancelled place in the queue is refilled",
            {**BEFORE, "r/REQ-003-pay.md": "# REQ-003\n\nThe queue shows a price.\n"},
            "neither",
        ),
        (
            "缺少取消预约的处理流程",
            {**BEFORE, "r/REQ-003.md": "取消预约的处理流程:通知下一位患者。\n"},
            "answered",
        ),
        (
            "REQ-001 has no failure case",
            changed(
                "r/_index.md",
                'version: 1\ngenerated_at: "2026-11-21',
                'version: 2\ngenerated_at: "2026-11-22',
            ),
            "neither",
        ),
        (
            "Requirements",
            changed("r/_index.md", "(task DRAFT-002, version 1)", "(task DRAFT-002-R1, version 2)"),
            "neither",
        ),
        ("", BEFORE, "neither"),
    ],
)
def test_a_finding_led_to_a_change_where_its_place_differs_or_a_new_line_answers_it(
    finding: str, after: dict[str, str], effect: str
) -> None:
    assert Versions(BEFORE, after).effect(finding) is Effect(effect)


@given(st.text(), st.dictionaries(st.sampled_from(["a.md", "b/REQ-001-x.md"]), st.text()))
def test_nothing_leads_to_a_change_where_nothing_changed(finding: str, texts: dict[str, str]) -> None:
    assert Versions(texts, dict(texts)).effect(finding) is Effect.NEITHER
