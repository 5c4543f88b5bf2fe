"""Architecture decisions: those that the requirements' own words call for, weighed by what is known of their kind."""

from __future__ import annotations

import re

from orchestrator.domain.patterns import expression
from workers.builtin.known_kinds import Row, rows
from workers.builtin.material import Material
from workers.builtin.names import external
from workers.builtin.phrases import best, lower_first, short, strip_end, unique, upper_first
from workers.documents.content import Adr, Alternative, Requirement

_MAX_EXTERNAL, _MAX_DECISIONS, _MAX_TEXTS = 3, 6, 3
_ABOUT = 60  # characters of a requirement's title in that of a decision
_THERE = expression(  # what exists already, and calls for no decision: `to our login endpoint`, `给现有的登录接口`
    r"\b(?:to|from|in|into|on|at|of|for|behind|beside|with|through|move|migrate|port|replace|rename|change|extend|improve)"
    r"\s+(?:our|my|(?:the |your )?(?:existing|current|present))(?:\s+[\w-]+){1,2}"
    r"|[给在把从为](?:我们的?|现有的?|目前的?|现在的?)[一-鿿]{2,4}",
    re.IGNORECASE,
)
_LIKE = 0.34  # share of common words from which a requirement concerns an outside system


def decide(m: Material, items: list[Requirement]) -> list[Adr]:
    """The decisions that most requirements call for, then one for each outside system."""
    m.check()
    known = {row.name: row for row in rows("decisions", m.lex.language)}
    stated = [item for item in items if item.source == "stated"]
    allowed = m.ask.decides if m.ask else None
    called = {
        name: _closest([item for item in stated if row.fits(_asked(item), m.excluded)], m)
        for name, row in known.items()
    }
    order = sorted(
        (name for name in called if called[name] and (allowed is None or name in allowed)),
        key=lambda name: -sum(2 if item.moscow == "Must" else 1 for item in called[name]),
    )
    found = [_adr(m, known[name], called[name]) for name in order[:_MAX_DECISIONS]]
    for text in m.analysis.dependencies[:_MAX_EXTERNAL]:
        mine = concerned(items, text)
        if mine:
            found.append(_adr(m, known["outside"], mine, text))
    return found


def _closest(items: list[Requirement], m: Material) -> list[Requirement]:
    """The requirements that call for a decision, without the line of which another one is a clause."""
    told = m.analysis.told
    return [item for item in items if told is None or item.statement != told.text] or items


def _asked(item: Requirement) -> str:
    """The statement without what it says is there already."""
    return _THERE.sub(" ", item.statement)


def concerned(items: list[Requirement], text: str) -> list[Requirement]:
    """The requirements that speak of what a sentence about an outside system speaks of."""
    return [item for item in items if best(item.statement, [("x", text)])[0] >= _LIKE]


def _adr(m: Material, row: Row, items: list[Requirement], text: str = "") -> Adr:
    known = row.texts
    named = next((name for name, layer in m.technologies if layer in ("storage", "database")), "")
    words = {"text": short(external(text) if row.name == "outside" else text, 110), "named": named}
    decision = known["decision_named"] if named and "decision_named" in known else known["decision"]
    cited = (
        [strip_end(text)] if row.name == "outside" else [strip_end(i.statement) for i in items[:_MAX_TEXTS]]
    )
    return Adr(
        title=_title(known["title"].format(**words), items),
        context=m.say("adr_context", texts=m.several(short(each, 240) for each in cited)),
        decision=upper_first(decision.format(**words)),
        alternatives=[Alternative(name=name, pros=[pro], cons=[con]) for name, pro, con in known["ways"]],
        consequences=[known["good"], known["bad"]],
        requirements=unique(item.id for item in items),
        reason=m.say("adr_reason"),
    )


def _title(title: str, items: list[Requirement]) -> str:
    """What is decided, with the first requirement that calls for it."""
    about = short(items[0].title, _ABOUT) if items else ""
    return title if not about or about[: _ABOUT // 2] in title else f"{title}: {lower_first(about)}"


def added(m: Material, item: Requirement) -> Adr:
    """The decision for a requirement that came after the design: of its own kind, else how it is added."""
    known = rows("decisions", m.lex.language)
    row = next((row for row in known if row.fits(_asked(item), m.excluded)), None)
    return _adr(m, row or next(each for each in known if each.name == "added"), [item], item.title)


def deepened(m: Material, adrs: list[Adr]) -> list[Adr]:
    """For IMPROVE: decisions without two alternatives or without consequences get them; the others stay."""
    return [adr if len(adr.alternatives) >= 2 and adr.consequences else _filled(m, adr) for adr in adrs]


def _filled(m: Material, adr: Adr) -> Adr:
    made = added(m, Requirement(title=adr.title, statement=adr.context))
    have = {way.name for way in adr.alternatives}
    ways = [*adr.alternatives, *(way for way in made.alternatives if way.name not in have)]
    return adr.model_copy(
        update={
            "alternatives": ways[: max(2, len(adr.alternatives))],
            "consequences": adr.consequences or made.consequences,
        }
    )
