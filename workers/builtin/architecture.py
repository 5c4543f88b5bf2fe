"""Architecture: parts that answer for the requirements, decisions with alternatives, open choices said to be open."""

from __future__ import annotations

import re

from workers.builtin.adrs import added, decide, deepened
from workers.builtin.clauses import clause
from workers.builtin.criteria import base
from workers.builtin.material import (
    Material,
    best,
    lower_first,
    names_verb,
    short,
    unique,
    upper_first,
)
from workers.builtin.names import external
from workers.builtin.request import Need
from workers.builtin.revision import requests_in
from workers.documents.content import (
    Architecture,
    Choice,
    Component,
    Entity,
    Operation,
    Requirement,
    Requirements,
    Statement,
)

_MAX_FACES, _MAX_RULES, _MAX_ADAPTERS = 4, 4, 4
_LAYERS = ("language", "storage", "platform")


def answer(m: Material) -> Architecture:
    given = m.facts.get("requirements")
    items = (
        [item for item in given.items if item.moscow != "Won't"] if isinstance(given, Requirements) else []
    )
    previous = m.facts.get("previous")
    if isinstance(previous, Architecture):
        return _revised(m, previous, items)
    components = parts(m, items)
    style = _style(m)
    return Architecture(
        overview=_overview(m, components),
        style=style,
        actors=m.actor_names() or [m.main_actor()],
        external_systems=externals(m),
        components=components,
        stack=_stack(m),
        data_model=_data_model(m, given),
        api=_operations(items, m),
        security=_security(m, items),
        adrs=decide(m, items, style.text),
        open_questions=_questions(m, given),
    )


def _overview(m: Material, components: list[Component]) -> str:
    said = [
        m.say("overview", components=m.several(lower_first(part.name) for part in components)),
        m.say("overview_people", actors=m.said_actors()),
    ]
    if m.keeps_data:
        said.append(m.say("overview_data", things=m.lex.join(m.told_things())))
    if externals(m):
        said.append(m.say("overview_outside"))
    return ("" if m.lex.language == "zh" else " ").join(said)


def externals(m: Material) -> list[str]:
    found = [short(external(text), 110) for text in m.analysis.dependencies]
    found += [
        name
        for name, layer in m.analysis.technologies
        if layer == "tool" and not any(name in text for text in found)
    ]
    return unique(found)[:_MAX_ADAPTERS]


def _titles(items: list[Requirement], m: Material) -> str:
    return m.several(lower_first(item.title) for item in items[:6]) or m.analysis.title


def parts(m: Material, items: list[Requirement]) -> list[Component]:
    """Components: an interface for each kind of people, rules for each thing, a store, adapters, protection, operation."""
    a = m.analysis
    store = [m.say("component_store")] if m.keeps_data else []
    limits = [item for item in items if item.kind == "nonfunctional"]
    wishes = [item for item in items if item.kind == "functional"]
    rules = _rules(m, wishes, store)
    faces = _faces(m, wishes, [part.name for part in rules])
    kept = [item for item in items if item.category == "S"] + [item for item in wishes if _keeps(item, m)]
    found = [*faces, *rules]
    if store:
        told = {"things": m.lex.join(m.told_things(3))}
        found.append(_part(m, "component_store", {}, kept[:8], [], told))
    for text in externals(m):
        mine = [item for item in items if best(item.statement, [("x", text)])[0] >= 0.2]
        found.append(_part(m, "component_adapter", {"text": text}, mine, [], {"text": text}))
    guard = [item for item in limits if item.category == "S"]
    if guard:
        found.append(_part(m, "component_guard", {}, guard, store, {"titles": _titles(guard, m)}))
    run = [item for item in limits if item.category != "S"]
    if run:
        found.append(
            _part(
                m,
                "component_operation",
                {},
                run,
                [part.name for part in rules[:1]],
                {"titles": _titles(run, m)},
            )
        )
    return _mapped(list({part.name: part for part in found if part.name}.values()), m, a.title)


def _keeps(item: Requirement, m: Material) -> bool:
    return bool(best(item.statement, [("x", " ".join(m.things()[:3]))])[0] >= 0.5)


def _part(
    m: Material,
    key: str,
    name: dict[str, str],
    items: list[Requirement],
    needs: list[str],
    text: dict[str, str],
) -> Component:
    return Component(
        name=short(m.say(key, **name), 140),
        responsibility=m.say(f"{key}_text", **text),
        requirements=unique(item.id for item in items),
        depends_on=needs,
        reason=m.say(f"{key}_why", **text),
    )


def _faces(m: Material, wishes: list[Requirement], rules: list[str]) -> list[Component]:
    groups: dict[str, list[Requirement]] = {}
    for item in wishes:
        actor = clause(item.statement, tuple(m.actor_names())).actor
        known = next(
            (name for name in m.actor_names() if actor and actor.lower().rstrip("s") in name.lower()), ""
        )
        if known:
            groups.setdefault(known, []).append(item)
    if not groups:
        return [
            Component(
                name=m.say("component_front"),
                responsibility=m.say("component_front_text", titles=_titles(wishes, m)),
                requirements=unique(item.id for item in wishes),
                depends_on=rules,
                reason=m.say("component_front_why"),
            )
        ]
    return [
        _part(
            m,
            "component_interface",
            {"actor": m.the_people(actor)},
            mine,
            rules,
            {"actor": m.the_people(actor), "titles": _titles(mine, m)},
        )
        for actor, mine in list(groups.items())[:_MAX_FACES]
    ]


def _rules(m: Material, wishes: list[Requirement], store: list[str]) -> list[Component]:
    """Each functional requirement goes to the first thing it names; what names none goes to the core."""
    groups: dict[str, list[Requirement]] = {}
    rest: list[Requirement] = []
    things = m.things()[:_MAX_RULES]
    spoken = dict(zip(things, m.told_things(_MAX_RULES), strict=True))
    for item in wishes:
        home = next((thing for thing in things if thing.lower() in item.statement.lower()), "")
        (groups.setdefault(home, []) if home else rest).append(item)
    found = [
        _part(m, "component_core", {}, mine, store, {"titles": _titles(mine, m)})
        if m.is_product(thing)
        else _part(
            m,
            "component_rules",
            {"thing": spoken[thing]},
            mine,
            store,
            {"thing": spoken[thing], "titles": _titles(mine, m)},
        )
        for thing, mine in groups.items()
    ]
    if rest or not found:
        found.append(
            _part(m, "component_core", {"title": m.analysis.title}, rest, store, {"titles": _titles(rest, m)})
        )
    return found


def _mapped(components: list[Component], m: Material, title: str) -> list[Component]:
    """Point components at files that the exploration found relevant to the same words."""
    if not m.repository or not m.repository.files:
        return components
    done = []
    for part in components:
        text = f"{part.name} {part.responsibility}"
        files = [
            path
            for path in m.repository.files
            if _is_source(path) and best(_stem(path), [("x", text)])[0] >= 0.3
        ]
        done.append(part.model_copy(update={"files": files[:5]}) if files else part)
    if not any(part.files for part in done):
        done[0] = done[0].model_copy(
            update={"files": [path for path in m.repository.files if _is_source(path)][:3]}
        )
    return done


def _stem(path: str) -> str:
    """The words of a file's name; its folders carry the product's name, which says nothing."""
    return re.sub(r"[\W_]+", " ", path.rpartition("/")[2].rpartition(".")[0])


def _is_source(path: str) -> bool:
    return not re.search(
        r"\.(?:md|rst|txt|toml|cfg|lock)$|(?:^|/)(?:tests?|docs?|spec)(?:/|_)|(?:^|/)(?:conftest|test_)", path
    )


def _style(m: Material) -> Statement:
    things = m.lex.join(m.told_things(3))
    key = "style_code" if m.repository else "style" if m.keeps_data else "style_plain"
    return Statement(text=m.say(key, things=things), reason=m.say(f"{key}_why", things=things))


def _stack(m: Material) -> list[Choice]:
    rows: dict[tuple[str, str], Choice] = {}

    def add(layer: str, name: str, why: str, source: str) -> None:
        rows.setdefault((layer, name.lower()), Choice(layer=layer, choice=name, rationale=why, source=source))  # type: ignore[arg-type]

    if m.repository:
        for name in m.repository.languages[:4]:
            add("language", name, m.say("stack_repository"), "repository")
        for name, layer in m.repository.frameworks[:10]:
            add(layer, name, m.say("stack_repository"), "repository")
        for name in m.repository.tests:
            add("tests", name, m.say("stack_repository"), "repository")
    for name, layer in m.analysis.technologies:
        add(layer, name, m.say("stack_stated"), "stated")
    have = {"storage" if layer == "database" else layer for layer, _ in rows}
    open_rows = [
        Choice(
            layer=m.layer(layer),
            choice=m.say("stack_open"),
            rationale=m.say("stack_open_why"),
        )
        for layer in _LAYERS
        if layer not in have and (m.keeps_data or layer != "storage")
    ]
    named = [row.model_copy(update={"layer": m.layer(row.layer)}) for row in rows.values()]
    return [*named, *open_rows]


def _data_model(m: Material, given: object) -> list[Entity]:
    if isinstance(given, Requirements) and given.entities:
        return list(given.entities)
    return [
        Entity(name=upper_first(thing), source="stated") for thing in m.things() if not m.is_product(thing)
    ]


def _operations(items: list[Requirement], m: Material) -> list[Operation]:
    found: dict[str, Operation] = {}
    for item in items:
        if item.kind != "functional" or item.source == "proposed":
            continue
        known = clause(item.statement)
        if m.analysis.thin and (
            not known.subject or item.quote != item.statement
        ):  # what to build is no operation
            part = next(
                (need for need in m.analysis.needs if need.part and m.statement(need) == item.statement), None
            )
            if part is not None:
                found.setdefault(*_of_part(part, item, m))
            continue
        if (
            m.lex.language == "en"
            and not known.subject
            and known.action.split()[0].lower() not in m.lex.verbs
        ):
            continue  # a noun is no operation
        for action in known.actions[:4]:
            if re.match(r"be\s", action):  # what befalls something is no operation that somebody calls
                continue
            name = short(lower_first(action), 60)
            found.setdefault(name, Operation(name=name, purpose=item.title, requirements=[item.id]))
    return list(found.values())[:30]


def _of_part(part: Need, item: Requirement, m: Material) -> tuple[str, Operation]:
    verb, _, rest = part.text.partition(" ")
    name = m.say("operation_open", thing=re.sub(r"^an?\s+", "the ", part.text))
    if m.lex.language == "en" and rest and names_verb(verb, m.lex):
        name = f"{base(verb, m.lex)} {rest}"
    return name, Operation(name=short(name, 60), purpose=item.title, requirements=[item.id])


def _security(m: Material, items: list[Requirement]) -> list[Statement]:
    rows = [
        Statement(text=item.statement, source="stated")
        for item in items
        if item.category == "S" and item.source == "stated"
    ]
    names = m.actor_names()
    if len(names) > 1:
        rows.append(
            Statement(
                text=m.say("security_access", actors=m.said_actors()),
                reason=m.say("security_access_why", title=m.analysis.title),
            )
        )
    thing = m.told_things(1)[0]
    rows.append(
        Statement(
            text=m.say("security_input" if m.keeps_data else "security_input_plain", thing=thing),
            reason=m.say("security_input_why", title=m.analysis.title),
        )
    )
    return rows


def _questions(m: Material, given: object) -> list[str]:
    asked = list(given.open_questions[:6]) if isinstance(given, Requirements) else []
    open_layers = [row.layer for row in _stack(m) if row.choice == m.say("stack_open")]
    if open_layers and not m.repository:
        asked.append(m.say("ask_stack", layers=m.lex.join(open_layers)))
    return unique(asked)


def referred(content: Architecture) -> set[str]:
    parts = {ref for part in content.components for ref in part.requirements}
    return parts | {ref for adr in content.adrs for ref in adr.requirements}


def _revised(m: Material, previous: Architecture, items: list[Requirement]) -> Architecture:
    """What stands stays; requirements that nothing refers to get a component and a decision of their own."""
    new = [item for item in items if item.id not in referred(previous)]
    if not new and not items:
        lex = m.lex
        new = (
            [Requirement(id="new", title=short(need.text), statement=need.text) for need in requests_in(m)]
            if lex
            else []
        )
    adrs = [added(m, item) for item in new[:8]]
    components = []
    if new:
        title = short(new[0].title, 100)
        name = m.say("component_added", title=title)
        taken = {part.name for part in previous.components}
        if name not in taken:
            components.append(
                _part(m, "component_added", {"title": title}, new, [], {"titles": _titles(new, m)})
            )
    kept = deepened(m, previous.adrs) if m.facts.get("improve") else list(previous.adrs)
    api = [row for row in _operations(new, m) if row.name not in {old.name for old in previous.api}]
    return previous.model_copy(
        update={
            "components": [*previous.components, *components],
            "adrs": [*kept, *adrs],
            "api": [*previous.api, *api],
            "security": [
                *previous.security,
                *(Statement(text=i.statement, source="stated") for i in new if i.category == "S"),
            ],
        }
    )
