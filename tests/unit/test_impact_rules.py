"""What follows from a change: everything stale, nothing that is not downstream (orchestrator/domain/impact.py)."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from orchestrator.domain.impact import Made, Node, descendants, impact_of, stale, upstream

NODES: list[Node] = [("item", f"N-{number:03d}") for number in range(12)]


def made(above: str, below: str, digest: str | None = "1") -> Made:
    return Made(("item", above), ("item", below), digest)


CHAIN = (
    made("G", "REQ"),
    made("REQ", "STORY"),
    made("STORY", "TASK"),
    made("REQ", "TASK"),
    made("G", "OTHER"),
)


def ids(nodes: frozenset[Node]) -> set[str]:
    return {id for _, id in nodes}


def test_what_was_made_of_another_version_is_stale_and_what_follows_may_follow() -> None:
    found = impact_of(CHAIN, {("item", "G"): "2", ("item", "REQ"): "1"}, {("item", "G")})

    assert ids(found.stale) == {"REQ", "OTHER"}
    assert ids(found.may_follow) == {"STORY", "TASK"}
    assert ids(found.affected) == {"REQ", "OTHER", "STORY", "TASK"}


def test_what_did_not_change_though_what_it_is_made_of_did_ends_the_search() -> None:
    current = {("item", "G"): "2", ("item", "REQ"): "1", ("item", "STORY"): "1"}

    assert ids(stale(CHAIN, current)) == {"REQ", "OTHER"}


def test_a_link_without_a_digest_says_nothing() -> None:
    assert stale([made("G", "REQ", None)], {("item", "G"): "2"}) == frozenset()


def test_a_thing_that_is_gone_makes_stale_what_was_made_of_it() -> None:
    assert ids(stale(CHAIN, {("item", "REQ"): "gone"})) == {"STORY", "TASK"}


def test_upstream_is_what_it_was_made_of() -> None:
    assert ids(upstream(CHAIN, ("item", "TASK"))) == {"STORY", "REQ", "G"}


links = st.lists(
    st.tuples(st.integers(0, 11), st.integers(0, 11), st.sampled_from("123")).filter(
        lambda each: each[0] < each[1]
    ),
    max_size=40,
)


@given(
    links,
    st.dictionaries(st.integers(0, 11), st.sampled_from("123"), max_size=12),
    st.sets(st.integers(0, 11), min_size=1, max_size=4),
)
def test_the_set_holds_every_stale_descendant_and_nothing_else_but_what_was_made_of_the_change(
    drawn: list[tuple[int, int, str]], digests: dict[int, str], seeds: set[int]
) -> None:
    listed = [Made(NODES[above], NODES[below], digest) for above, below, digest in drawn]
    current = {NODES[number]: digest for number, digest in digests.items()}
    changed = {NODES[number] for number in seeds}

    found = impact_of(listed, current, changed)

    below = _reachable(drawn, seeds)
    outdated = {NODES[b] for a, b, digest in drawn if a in digests and digests[a] != digest}
    direct = {NODES[b] for a, b, _ in drawn if a in seeds}
    assert found.affected == below
    assert found.stale == ((outdated & below) | direct) - changed  # neither more nor less
    assert found.may_follow <= below - found.stale - changed
    assert not found.stale & found.may_follow
    assert below - changed == found.stale | found.may_follow  # nothing downstream is forgotten
    assert descendants(listed, changed) == below


def _reachable(drawn: list[tuple[int, int, str]], seeds: set[int]) -> frozenset[Node]:
    """By brute force: repeat until nothing is added."""
    reached: set[int] = set()
    while True:
        more = {b for a, b, _ in drawn if a in seeds | reached} - reached
        if not more:
            return frozenset(NODES[number] for number in reached)
        reached |= more
