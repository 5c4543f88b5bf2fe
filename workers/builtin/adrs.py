"""Architecture decisions: the subject comes from the requirements, the alternatives are weighed against it."""

from __future__ import annotations

from collections.abc import Callable

from workers.builtin.material import Material, best, lower_first, short, strip_end, unique, upper_first
from workers.builtin.names import external
from workers.documents.content import Adr, Alternative, Requirement

_MAX_EXTERNAL = 3
_STORES = ("storage", "database")


def decide(m: Material, items: list[Requirement], style: str) -> list[Adr]:
    m.check()
    found = [_structure(m, items, style)]
    if m.changes:
        ways = ("adr_switch_once", "adr_switch_beside")
        found.append(_adr(m, "adr_switch", "adr_switch_decision", ways, items))
    if m.keeps_data:
        found.append(_store(m, items))
    found += [
        _external(m, items, strip_end(short(text, 160))) for text in m.analysis.dependencies[:_MAX_EXTERNAL]
    ]
    guard = [item for item in items if item.category == "S"]
    limits = [item for item in items if item.kind == "nonfunctional" and item.category != "S"]
    if guard:
        found.append(_quality(m, "protect", guard))
    if limits:
        found.append(_quality(m, "limit", limits))
    return found


def _adr(
    m: Material, subject: str, decision: str, ways: tuple[str, str], items: list[Requirement], **words: str
) -> Adr:
    """One decision; `ways` are the keys of the two alternatives that were not taken."""
    words = {
        "title": m.analysis.title,
        "things": m.lex.join(m.told_things(3)),
        "thing": m.told_things(1)[0],
        "actor": m.said_actors(1),
        **words,
    }
    titles = m.several(lower_first(item.title) for item in items[:3]) or m.analysis.title
    rejected = [
        Alternative(
            name=m.say(way, **words), pros=[m.say(f"{way}_pro", **words)], cons=[m.say(f"{way}_con", **words)]
        )
        for way in ways
    ]
    return Adr(
        title=short(m.say(subject, **words), 150),
        context=upper_first(m.say(f"{subject}_context", **{"titles": titles, **words})),
        decision=upper_first(m.say(decision, **words)),
        alternatives=rejected,
        consequences=[upper_first(m.say(key, **words)) for key in (_good(subject, m), f"{subject}_bad")],
        requirements=unique(item.id for item in items),
        reason=m.say("adr_reason"),
    )


def _good(subject: str, m: Material) -> str:
    plain = subject == "adr_structure" and not m.keeps_data
    return "adr_structure_plain_good" if plain else f"{subject}_good"


def _structure(m: Material, items: list[Requirement], style: str) -> Adr:
    musts = [item for item in items if item.moscow == "Must" and item.kind == "functional"] or items
    said = m.several(lower_first(item.title) for item in musts[:4]) or m.analysis.title
    ways = ("adr_structure_one", "adr_structure_many")
    return _adr(m, "adr_structure", "adr_structure_decision", ways, musts, style=strip_end(style), musts=said)


def _store(m: Material, items: list[Requirement]) -> Adr:
    things = " ".join(m.things()[:4])
    mine = [
        item for item in items if item.kind == "functional" and best(item.statement, [("x", things)])[0] > 0
    ] or items[:3]
    named = next((name for name, layer in _named(m) if layer in _STORES), "")
    decision = "adr_store_decision_named" if named else "adr_store_decision"
    return _adr(m, "adr_store", decision, ("adr_store_files", "adr_store_events"), mine, named=named)


def _named(m: Material) -> list[tuple[str, str]]:
    return [*(m.repository.frameworks if m.repository else ()), *m.analysis.technologies]


def _external(m: Material, items: list[Requirement], sentence: str) -> Adr:
    mine = [item for item in items if best(item.statement, [("x", sentence)])[0] >= 0.2]
    ways = ("adr_external_direct", "adr_external_queue")
    text = short(external(sentence), 110)
    return _adr(
        m, "adr_external", "adr_external_decision", ways, mine, text=text, sentence=strip_end(sentence)
    )


def _quality(m: Material, kind: str, items: list[Requirement]) -> Adr:
    ways = {
        "protect": ("adr_protect_each", "adr_protect_outside"),
        "limit": ("adr_limit_later", "adr_limit_reserve"),
    }[kind]
    texts = m.several(lower_first(strip_end(item.statement)) for item in items[:6])
    return _adr(
        m,
        f"adr_{kind}",
        f"adr_{kind}_decision",
        ways,
        items,
        text=lower_first(short(items[0].title, 90)),
        texts=texts,
    )


def added(m: Material, item: Requirement) -> Adr:
    """The decision for a requirement that came after the design."""
    ways = ("adr_added_inside", "adr_added_later")
    return _adr(m, "adr_added", "adr_added_decision", ways, [item], title=item.title, text=item.statement)


def deepened(m: Material, adrs: list[Adr]) -> list[Adr]:
    """For IMPROVE: decisions without two alternatives or without consequences get them; the others stay."""
    fill: Callable[[Adr], Adr] = lambda adr: _filled(m, adr)  # noqa: E731 - named for the list below
    return [adr if len(adr.alternatives) >= 2 and adr.consequences else fill(adr) for adr in adrs]


def _filled(m: Material, adr: Adr) -> Adr:
    item = Requirement(title=adr.title, statement=adr.context)
    made = added(m, item)
    have = {way.name for way in adr.alternatives}
    ways = [*adr.alternatives, *(way for way in made.alternatives if way.name not in have)]
    return adr.model_copy(
        update={
            "alternatives": ways[: max(2, len(adr.alternatives))],
            "consequences": adr.consequences or made.consequences,
        }
    )
