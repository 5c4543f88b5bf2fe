"""The order behind a drawing: columns, and in which row of its lane each box stands.

Several rows of one lane and level form a band: the level is 0 of originals, 1 of first revisions, and so on, so that
a revision is below what it revises.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

Edge = tuple[int, int]  # places of two nodes in the list: what is waited for, what waits
Neighbours = Sequence[Sequence[int]]


def levels_of(revises: Sequence[str | None]) -> list[int]:
    """How many revisions of the same original come before it, itself included; 0 of an original."""
    seen: dict[str, int] = {}
    levels = []
    for original in revises:
        if original is not None:
            seen[original] = seen.get(original, 0) + 1
        levels.append(0 if original is None else seen[original])
    return levels


def ranks(
    count: int, edges: Sequence[Edge], revisions: Collection[Edge]
) -> tuple[list[int], frozenset[Edge]]:
    """The column of each node, right of all it waits for, and the edges that lead back, since they close circles.

    `revisions`: edges whose ends may stand in one column.
    """
    found, complete = _longest_ways(count, edges, revisions)
    if complete:
        return found, frozenset()
    back = _back_edges(count, edges)
    return _longest_ways(count, [edge for edge in edges if edge not in back], revisions)[0], back


def _longest_ways(count: int, edges: Sequence[Edge], revisions: Collection[Edge]) -> tuple[list[int], bool]:
    """The length of the longest way to each node, and whether there was one to all."""
    following: list[list[int]] = [[] for _ in range(count)]
    unmet = [0] * count
    for start, end in edges:
        following[start].append(end)
        unmet[end] += 1
    lengths = [0] * count
    free = [number for number in range(count) if unmet[number] == 0]
    for number in free:  # grows while it is read: each node is appended once, after all it waits for
        next_length = lengths[number] + 1
        for end in following[number]:
            length = next_length - 1 if revisions and (number, end) in revisions else next_length
            if length > lengths[end]:
                lengths[end] = length
            unmet[end] -= 1
            if unmet[end] == 0:
                free.append(end)
    return lengths, len(free) == count


def _back_edges(count: int, edges: Sequence[Edge]) -> frozenset[Edge]:
    """The edges that lead to a node on the way just walked, depth first: without them there is no circle."""
    following: list[list[int]] = [[] for _ in range(count)]
    for start, end in edges:
        following[start].append(end)
    back = set()
    finished: set[int] = set()
    on_way: set[int] = set()
    for root in range(count):
        if root in finished:
            continue
        way = [(root, iter(following[root]))]
        on_way.add(root)
        while way:
            here, rest = way[-1]
            for end in rest:
                if end in on_way:
                    back.add((here, end))
                elif end not in finished:
                    way.append((end, iter(following[end])))
                    on_way.add(end)
                    break
            else:
                way.pop()
                on_way.discard(here)
                finished.add(here)
    return frozenset(back)


def rows_of_band(
    band: dict[int, list[int]], before: Neighbours, behind: Neighbours
) -> tuple[dict[int, int], int]:
    """The row of each node of a band, near the mean of its neighbours' rows, and how many rows there are.

    `band`: its nodes by column; their order is changed.
    """
    height = max(map(len, band.values()))
    row = {number: at for members in band.values() for at, number in enumerate(members)}
    if height == 1:
        return row, 1
    rightwards = sorted(band)
    for neighbours, columns in ((before, rightwards), (behind, rightwards[::-1]), (before, rightwards)):
        for column in columns:
            _arrange(band[column], neighbours, row, height)
    return row, height


def _arrange(members: list[int], neighbours: Neighbours, row: dict[int, int], height: int) -> None:
    """Order a column by the barycentres of its nodes and put each as near to its own as the others leave room for."""
    wanted: dict[int, float] = {}
    for number in members:
        near = neighbours[number]
        wanted[number] = sum([row[each] for each in near]) / len(near) if near else row[number]
    members.sort(key=wanted.__getitem__)
    lowest, highest = 0, height - len(members)
    for number in members:
        lowest = row[number] = max(lowest, min(round(wanted[number]), highest))
        lowest += 1
        highest += 1
