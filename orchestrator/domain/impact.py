"""What a change means for what was made of it: stale descendants, and the smallest set to make again (docs/impact.md).

A link notes two things of which one was made of the other, with the digest that the upstream one had then. What was made of
something that is not what it was is stale. What follows from it further downstream is stale only if it changes as well: that
is known when it was made again, so until then it may follow.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from orchestrator.domain.dataclass import dataclass

Node = tuple[str, str]  # kind (item, plan_task, commit, file, criterion, test) and id
GONE = ""  # the digest of what is not there any more


@dataclass(frozen=True, slots=True)
class Made:
    """`downstream` was made of `upstream`, which had this digest; None: that was not noted."""

    upstream: Node
    downstream: Node
    digest: str | None = None


@dataclass(frozen=True, slots=True)
class Impact:
    """What follows from a change."""

    stale: frozenset[Node]  # made of what is not what it was: to be made again
    may_follow: frozenset[Node]  # further downstream: to be made again if what it is made of changes
    affected: frozenset[Node]  # everything downstream of the change


def descendants(links: Iterable[Made], seeds: Collection[Node]) -> frozenset[Node]:
    """Everything that was made of `seeds`, directly or not; the seeds are among it only where links lead back to them."""
    below: dict[Node, list[Node]] = {}
    for link in links:
        below.setdefault(link.upstream, []).append(link.downstream)
    found: set[Node] = set()
    left = list(seeds)
    while left:
        for node in below.get(left.pop(), ()):
            if node not in found:
                found.add(node)
                left.append(node)
    return frozenset(found)


def stale(links: Iterable[Made], current: Mapping[Node, str]) -> frozenset[Node]:
    """What a link says was made of a version that is not the current one.

    Of things without a current digest (`current`) nothing is known, and of links that noted none.
    """
    return frozenset(
        link.downstream
        for link in links
        if link.digest is not None and link.upstream in current and current[link.upstream] != link.digest
    )


def impact_of(links: Collection[Made], current: Mapping[Node, str], seeds: Collection[Node]) -> Impact:
    """What a change of `seeds` means, which are taken for changed whatever their digests say."""
    below = descendants(links, seeds)
    direct = {link.downstream for link in links if link.upstream in seeds}
    again = ((stale(links, current) & below) | direct) - set(seeds)
    return Impact(frozenset(again), (below & descendants(links, again)) - again - set(seeds), below)


def upstream(links: Iterable[Made], node: Node) -> frozenset[Node]:
    """Everything that something was made of, directly or not."""
    turned = [Made(link.downstream, link.upstream) for link in links]
    return descendants(turned, [node])
