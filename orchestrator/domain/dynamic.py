"""Dynamic mode: what a request asks for, by its words, and in which order it is done (docs/dynamic.md).

`analyse` is a pure function of the request and the rules in config/dynamic.yaml. Which roles do it: domain/dynamic_roles.py.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

from orchestrator.domain.dataclass import dataclass, field
from orchestrator.domain.errors import UsageError
from orchestrator.domain.text import is_question, keywords, mentions

MODE = "dynamic"
KIND = "dynamic"  # of generated roles, and of the entry of the pack that they are made like
GENERAL = "general"  # the capability of a request that names none
GENERALIST = "generalist"
ROLES = (
    "developer",
    "researcher",
    "writer",
    "designer",
    "analyst",
    "planner",
    "tester",
    GENERALIST,
)  # those first in this order keep their name when roles are merged
FINDINGS, DOCUMENT, PLAN, CODE, TESTS = "findings", "document", "plan", "code", "tests"
WORKS = (FINDINGS, DOCUMENT, PLAN, CODE, TESTS)
PREFIXES = {PLAN: "PLAN", CODE: "IMPL", TESTS: "TEST"}  # that the rules of such work know it by
HIGHEST_TIER = 3
READ = 8_000  # characters of a request that its words are looked for in
QUESTIONS = (
    "What should be there at the end: a document, a plan, code, tests, an analysis?",
    "What is it about: which part of the project, which files, which subject?",
    "Who needs it, and how will you know that it is done?",
)


@dataclass(frozen=True, slots=True)
class Capability:
    """One thing that a request can ask for, as config/dynamic.yaml states it."""

    name: str
    role: str  # who does it, where roles are not merged
    prefix: str  # of its tasks
    tier: int
    work: str  # one of WORKS
    words: tuple[str, ...] = ()
    weak_words: tuple[str, ...] = ()  # count only where the request has none of the words of any capability
    explores: bool = False  # False: its only task needs no look at the project
    after: tuple[str, ...] = ()  # capabilities it waits for besides those of the next lower tier
    perspectives: tuple[str, ...] = ()  # from which its result is discussed
    focus: tuple[str, ...] = ()  # what its role looks at


@dataclass(frozen=True, slots=True)
class DynamicRules:
    """The rules of config/dynamic.yaml."""

    capabilities: Mapping[str, Capability] = field(default_factory=dict)
    changes: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # kind of a change -> words


@dataclass(frozen=True, slots=True)
class Wanted:
    """A capability that a request asks for, and by which of its words."""

    capability: Capability
    words: tuple[str, ...]

    @property
    def name(self) -> str:
        return self.capability.name


@dataclass(frozen=True, slots=True)
class Complexity:
    """How much a request asks for: one point a capability, two for three tiers, one a parallel track, one a step in a row."""

    capabilities: int
    span: int  # tiers
    parallel: int  # capabilities beside another one of their tier
    depth: int  # steps of the longest row

    @property
    def score(self) -> int:
        return self.capabilities + (2 if self.span >= 3 else 0) + self.parallel + self.depth

    @property
    def level(self) -> str:
        return next(level for most, level, _ in _LEVELS if self.score <= most)

    @property
    def most_roles(self) -> int:
        return next(roles for most, _, roles in _LEVELS if self.score <= most)


_LEVELS = ((3, "Low", 2), (6, "Medium", 3), (10_000, "High", 5))  # up to which score, its name, roles at most


class VagueRequest(UsageError):
    """The request does not say what is to be done."""

    remedy = 'answer them in the request: lifecycle start --mode dynamic "..."; --yes starts it as it is'

    def __init__(self, why: str) -> None:
        self.questions = QUESTIONS
        super().__init__(
            "the request does not say what is to be done",
            why="\n".join([why, *(f"  {n}. {text}" for n, text in enumerate(QUESTIONS, 1))]),
        )


def wanted(request: str, rules: DynamicRules, *, as_it_is: bool = False) -> tuple[Wanted, ...]:
    """The capabilities that the request asks for, the lowest tier first. Raises VagueRequest for none, or for a word alone.

    `as_it_is`: then one general capability takes its place.
    """
    text = request[:READ]
    every = rules.capabilities.values()
    found = _named(text, [(each, each.words) for each in every])
    if not found and not is_question(text):
        found = _named(text, [(each, each.weak_words) for each in every])
    if not found and not as_it_is:
        raise VagueRequest("none of its words names something to do")
    if found and not as_it_is and len(keywords(text)) <= 1:
        raise VagueRequest(f"it says {found[0].words[0]!r} and nothing that this is about")
    found = found or [Wanted(rules.capabilities[GENERAL], ())]
    return tuple(sorted(found, key=lambda each: each.capability.tier))


def _named(text: str, words: Iterable[tuple[Capability, Sequence[str]]]) -> list[Wanted]:
    said = (Wanted(each, tuple(word for word in known if mentions(text, word))) for each, known in words)
    return [each for each in said if each.words]


def edges_of(found: Sequence[Wanted]) -> tuple[dict[str, tuple[str, ...]], list[str]]:
    """Capability -> those that it waits for, without cycles, and a warning for each cycle that was broken.

    A capability waits for all of the next lower tier, and for those it names itself (`after`). A cycle is broken where it
    enters its lowest tier.
    """
    present = {each.name: each.capability for each in found}
    waits = {name: _before(each, present) for name, each in present.items()}
    warnings: list[str] = []
    while circle := _circle(waits):
        lowest = min(circle, key=lambda name: (present[name].tier, name))
        at = circle.index(lowest)
        waits[lowest] = [name for name in waits[lowest] if name not in circle]
        row = " > ".join([*circle[at:], *circle[:at], lowest])
        warnings.append(f"the tiers make a cycle ({row}): {lowest} begins, and waits for none of it")
    return {name: tuple(blockers) for name, blockers in waits.items()}, warnings


def _before(each: Capability, present: Mapping[str, Capability]) -> list[str]:
    lower = [other.tier for other in present.values() if other.tier < each.tier]
    by_tier = [name for name, other in present.items() if lower and other.tier == max(lower)]
    named = [name for name in each.after if name in present and name != each.name]
    return list(dict.fromkeys([*by_tier, *named]))


def _circle(waits: Mapping[str, Collection[str]]) -> list[str]:
    """The capabilities of one cycle, each before those that wait for it; empty where there is none."""
    left = dict(waits)
    while free := [name for name, blockers in left.items() if not any(each in left for each in blockers)]:
        for name in free:
            del left[name]
    path: list[str] = []
    here = min(left, default=None)
    while here is not None and here not in path:
        path.append(here)
        here = min(each for each in left[here] if each in left)
    return path[path.index(here) :][::-1] if here is not None else []


def complexity_of(found: Sequence[Wanted], edges: Mapping[str, Sequence[str]]) -> Complexity:
    tiers = [each.capability.tier for each in found]
    span = len(set(tiers))
    return Complexity(len(found), span, len(tiers) - span, depth_of(edges))


def depth_of(edges: Mapping[str, Sequence[str]]) -> int:
    """How many capabilities the longest row has."""
    known: dict[str, int] = {}
    left = dict(edges)
    while left:
        for name in [name for name, blockers in left.items() if all(each in known for each in blockers)]:
            known[name] = 1 + max((known[each] for each in left.pop(name)), default=0)
    return max(known.values(), default=0)


def behind(edges: Mapping[str, Sequence[str]], name: str) -> frozenset[str]:
    """All that a capability waits for, directly or not."""
    found: set[str] = set()
    ahead = list(edges.get(name, ()))
    while ahead:
        each = ahead.pop()
        if each not in found:
            found.add(each)
            ahead += edges.get(each, ())
    return frozenset(found)


def change_of(request: str, rules: DynamicRules) -> str:
    """The kind of change that a coding request asks for: feature, fix or refactor."""
    text = request[:READ]
    kinds: Iterable[str] = (
        kind for kind, words in rules.changes.items() if any(mentions(text, word) for word in words)
    )
    return next(iter(kinds), "feature")
