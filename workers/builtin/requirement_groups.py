"""Requirements in groups: by the features that the request names, else by release and priority, by people, by things."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import lru_cache

from orchestrator.domain.dataclass import dataclass, field
from orchestrator.domain.patterns import expression
from orchestrator.domain.text import is_cjk
from workers.builtin.analysis import Need
from workers.builtin.clauses import clause
from workers.builtin.material import Material
from workers.builtin.names import plural
from workers.builtin.phrases import short, upper_first
from workers.builtin.short_names import short_name
from workers.documents.content import Moscow, Requirement, Requirements
from workers.documents.features import Feature, features
from workers.documents.passages import passages

MOST = 7  # groups
FEW, MANY, LARGE = (
    2,
    5,
    8,
)  # requirements: to stand alone, before a group is divided, in a piece of what is left
RANK: dict[Moscow, int] = {"Must": 0, "Should": 1, "Could": 2, "Won't": 3}
_BRIEF = 24  # characters of a title that is a name
_JOINED = 56  # characters of two names that stand side by side
_TITLE = 44  # characters of one title in a joined one
_LISTED = expression(r"; |；")
_NUMBER = expression(r"\d[\d.,]*\d|\d")


@dataclass
class Group:
    titles: list[str]
    items: list[Requirement] = field(default_factory=list)
    release: str = ""
    stated: bool = False  # the request names it
    limits: bool = False

    @property
    def rank(self) -> int:
        return min(RANK[item.moscow] for item in self.items)


@lru_cache(maxsize=4)
def _places(text: str) -> dict[str, Feature]:
    return features(passages(text))


def grouped(m: Material, items: Iterable[Requirement], *, by_release: bool = False) -> list[Group]:
    """All requirements in at most seven groups; limits that hold everywhere keep to themselves."""
    needs: dict[str, Need] = {}
    for need in m.analysis.needs:
        needs.setdefault(m.statement(need), need)
    places = _places(m.analysis.text)
    found: dict[tuple[str, str, bool], Group] = {}
    loose: dict[tuple[str, int], Group] = {}
    for item in items:
        m.check()
        known = needs.get(item.statement)
        place = places.get(known.block) if known else None
        bound = item.kind == "nonfunctional" or (known is not None and known.kind == "constraint")
        bound = bound or (place is not None and place.limits)
        limits = bound and not m.analysis.thin
        release = item.release if by_release else ""
        if limits or (place and place.own):
            title = place.title if place and (by_release or not limits) else m.say("group_limits")
            key = (title.casefold(), release, limits)
            group = found.setdefault(
                key, Group([title], release=release, stated=place is not None, limits=limits)
            )
        else:
            rank = RANK[item.moscow] if by_release and not release else 0
            group = loose.setdefault((release, rank), Group([], release=release))
        group.items.append(item)
    divided = [piece for group in loose.values() for piece in _divided(group, m)]
    groups = _joined([*divided, *found.values()], FEW if by_release else 0, m.say("group_rest"))
    return sorted(groups, key=lambda group: (_order(group.release), group.limits, group.rank))


def title_of(group: Group, m: Material) -> str:
    """The names of what a group joins; without one, the title of its first requirement."""
    names = list(dict.fromkeys(group.titles))
    if not names:
        brief = [item.title for item in group.items if len(item.title) <= _BRIEF]
        names = brief if len(brief) == len(group.items) else []
    if not names:
        return _of_items(group.items, m)
    said = [names[0], *(name if m.lex.language == "zh" else _lower(name) for name in names[1:3])]
    return (
        upper_first(m.lex.join([short(name, _TITLE) for name in said])) if names[1:] else short(said[0], 90)
    )


def _of_items(items: list[Requirement], m: Material) -> str:
    """The names of the most important requirements of a group, as many as one line takes."""
    ranked = sorted(items, key=lambda item: RANK[item.moscow])
    all_names = dict.fromkeys(short_name(item.title, item.statement) for item in ranked)
    brief = [name for name in all_names if not name.endswith("…") and len(name) <= _TITLE]
    named = brief or [name for name in all_names if not name.endswith("…")] or [*all_names]
    kept = named[:1]
    if len(named) > 1 and len(named[0]) + len(named[1]) <= _JOINED:
        kept = named[:2]
    more = m.say("title_more") if len(items) > len(kept) else ""
    if more or len(kept) == 1:
        joined = ("、" if m.lex.language == "zh" else ", ").join([kept[0], *map(_lower, kept[1:])])
        return short(joined, 80) + more
    return m.lex.join([kept[0], _lower(kept[1])])


def _lower(name: str) -> str:
    return name if re.match(r"\w?[A-Z]", name[1:]) or not name[:1].isupper() else name[:1].lower() + name[1:]


def _divided(group: Group, m: Material) -> list[Group]:
    """A large group by the people its sentences speak of, what is left by their things."""
    if len(group.items) <= MANY:
        return [group]
    people = {name: m.say("group_people", actor=m.the_people(name)) for name in m.actor_names()}
    things = {} if m.analysis.thin else {name: upper_first(_many(name, m)) for name in m.things()[:4]}
    rest, found = _by(group.items, people, lambda item, name: _actor(item, m) == name, group.release)
    single: dict[str, list[Requirement]] = {}
    for item in rest:
        single.setdefault(_actor(item, m), []).append(item)
    if len(single) > 2:  # besides what no people are named in
        mine = [item for name, items in single.items() if name for item in items]
        found.append(Group([], mine, group.release))
        rest = single.get("", [])
    rest, more = _by(rest, things, _speaks_of, group.release)
    found += more
    count = min(-(-len(rest) // LARGE), max(1, MOST - len(found)))
    size = -(-len(rest) // count) if rest else 1
    pieces = [rest[at : at + size] for at in range(0, len(rest), size)]
    return [*found, *(Group([], piece, group.release) for piece in pieces)]


def _many(thing: str, m: Material) -> str:
    return thing if m.lex.language == "zh" else plural(thing)


def _by(
    items: list[Requirement], names: dict[str, str], holds: Callable[[Requirement, str], bool], release: str
) -> tuple[list[Requirement], list[Group]]:
    """What no name holds, and a group for each name that holds enough."""
    homes: dict[str, list[Requirement]] = {}
    for item in items:
        homes.setdefault(next((name for name in names if holds(item, name)), ""), []).append(item)
    kept = [Group([names[name]], mine, release) for name, mine in homes.items() if name and len(mine) >= FEW]
    taken = {id(item) for group in kept for item in group.items}
    return [item for item in items if id(item) not in taken], kept


def _actor(item: Requirement, m: Material) -> str:
    actor = clause(item.statement, tuple(m.actor_names())).actor.lower().rstrip("s")
    return next((name for name in m.actor_names() if actor and actor in name.lower()), "")


def _speaks_of(item: Requirement, thing: str) -> bool:
    said = item.statement.lower()
    return (
        thing.lower() in said
        if is_cjk(thing)
        else re.search(rf"(?<!\w){re.escape(thing.lower())}", said) is not None
    )


def _joined(groups: list[Group], few: int, rest: str) -> list[Group]:
    """While there are more than three, a group too small to stand alone joins the nearest of its kind and release."""
    kept = list(groups)
    while len(kept) > 3:
        smallest = sorted(kept, key=lambda group: len(group.items))
        for group in smallest if len(kept) > MOST else [one for one in smallest if len(one.items) < few]:
            others = [
                one
                for one in kept
                if one is not group and one.release == group.release and one.limits == group.limits
            ]
            if not others and len(kept) > MOST:
                others = [one for one in kept if one is not group]
            if others:
                home = min(others, key=lambda one: (abs(one.rank - group.rank), len(one.items)))
                nameless = not home.titles and not group.titles
                pair = sorted((home, group), key=lambda one: one.rank)
                titles = [] if nameless else [title for one in pair for title in one.titles or [rest]]
                home.titles = sorted(titles, key=lambda title: title == rest)
                home.items = [item for one in pair for item in one.items]
                home.stated = home.stated and group.stated
                kept.remove(group)
                break
        else:
            return kept
    return kept


def _order(release: str) -> tuple[int, str]:
    """`MVP` and `Phase 1` before `Phase 2`; what has no release in between comes first."""
    number = re.search(r"\d+", release)
    return (int(number[0]) if number else 0, release if number else "")


def retold(text: str, m: Material) -> str:
    """A list of requirements' titles without those that were withdrawn, and with the numbers that the others have now."""
    given = m.given(Requirements)
    wanted = {item.title.casefold(): item.title for item in m.wanted}
    gone = {item.title.casefold() for item in given.items if item.id in m.withdrawn} if given else set()
    pieces = _LISTED.split(text)
    stand = {piece.casefold() for piece in pieces}
    changed: dict[str, list[str]] = {}  # the title as it would be with any number -> as it is now
    for title in [wanted[key] for key in wanted if key not in stand]:
        changed.setdefault(_plain(title), []).append(title)
    told = []
    for piece in pieces:
        key, now = piece.casefold(), changed.get(_plain(piece), [])
        if key in wanted:
            told.append(piece)
        elif key not in gone and len(now) == 1:
            told.append(now[0])
        elif key not in gone and _plain(piece) not in map(_plain, gone):
            told.append(piece)
    return m.several(told) if told and told != pieces else text


def _plain(title: str) -> str:
    return _NUMBER.sub("#", title.strip().casefold())
