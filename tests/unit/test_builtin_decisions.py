"""The decisions that the built-in agent proposes are about what is asked for, not about what is there already."""

from __future__ import annotations

import pytest

from tests.unit.builtin_chain import chain


@pytest.mark.parametrize(
    ("text", "decided"),
    [
        ("Add rate limiting to our login endpoint, 5 tries per minute", ()),
        ("给我们的登录接口加限流，每分钟 5 次", ()),
        ("The pump stops when its motor fails twice in a row", ()),
        ("Volunteers get a badge when they post their first photo", ()),
        ("Members sign in with a password", ("How people prove who they are",)),
        ("No seat may be sold twice", ("Two people take the same thing",)),
        ("Paste ad copy, an e-mail address or a post", ()),
        ("Guests get an e-mail when a table is free", ("How messages reach people",)),
        ("Read the results and the proposed rewrites", ()),
        ("Partners fetch prices with GET /prices", ("How the interface may change",)),
    ],
)
def test_a_decision_is_proposed_for_what_is_new(text: str, decided: tuple[str, ...]) -> None:
    titles = [adr.title for adr in chain(text)["architecture"].adrs]

    assert [title.partition(":")[0] for title in titles] == list(decided)
