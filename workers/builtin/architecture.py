"""Architecture: a part for each feature of the request, where it lies in the repository, and the decisions they call for.

What is not known is left out and asked; what the request excludes is not proposed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TypeVar

from orchestrator.domain.patterns import expression
from orchestrator.domain.text import keywords
from workers.builtin.adrs import added, concerned, decide, deepened
from workers.builtin.clauses import clause
from workers.builtin.known_kinds import rows
from workers.builtin.material import Material
from workers.builtin.names import external, systems
from workers.builtin.phrases import lower_first, short, unique
from workers.builtin.requirement_groups import grouped, retold, title_of
from workers.builtin.revision import requests_in
from workers.documents.content import (
    Adr,
    Architecture,
    Choice,
    Component,
    Entity,
    Operation,
    Requirement,
    Requirements,
    Statement,
)
from workers.documents.technologies import technologies

P = TypeVar("P", Component, Operation, Adr)
_MAX_OUTSIDE, _MAX_FILES, _MAX_OPERATIONS = 6, 5, 20
_NAME = 8  # words of what names a system; more are a sentence about it
_MAX_TOLD, _TITLE = 12, 70  # requirements that a part names, characters of each
_OPENING = 400  # characters of a request in which it says what it is about
_CALL = expression(r"\b(GET|POST|PUT|PATCH|DELETE)\b[\s|`]*(/[^\s|`,;]*)")


def answer(m: Material) -> Architecture:
    items = m.wanted
    if previous := m.before(Architecture):
        return _revised(m, previous, items)
    components = parts(m, items)
    stack = _stack(m)
    return Architecture(
        overview=_overview(m, components),
        style=_style(m),
        actors=m.actor_names(),
        external_systems=outside(m),
        components=components,
        stack=stack,
        data_model=_data_model(m),
        api=_operations(items, m),
        security=[Statement(text=i.statement, source="stated") for i in items if i.category == "S"],
        adrs=decide(m, items),
        open_questions=[] if stack else [m.say("ask_stack")],
    )


def _overview(m: Material, components: list[Component]) -> str:
    named = m.lex.join([lower_first(part.name) for part in components])
    said = [m.say("overview", components=named)] if components else []
    if m.analysis.actors:
        said.append(m.say("overview_people", actors=m.said_actors()))
    limits = unique(need.text for need in m.analysis.needs if need.kind == "constraint")[:_MAX_TOLD]
    if limits:
        said.append(m.say("overview_limits", texts=m.several(limits)))
    return ("" if m.lex.language == "zh" else " ").join(said)


def outside(m: Material) -> list[str]:
    """The systems outside that the request relies on."""
    found = [name for text in m.analysis.dependencies for name in systems(text) or _unnamed(text)]
    tools = [name for name, layer in m.technologies if layer == "tool"]
    return unique([*found, *(name for name in tools if not any(name in text for text in found))])[
        :_MAX_OUTSIDE
    ]


def _unnamed(text: str) -> list[str]:
    """What a sentence about something existing without a name of its own speaks of: `the mail gateway`."""
    said = external(text)
    return [short(said, 110)] if len(said.split()) <= _NAME else []


def parts(m: Material, items: list[Requirement]) -> list[Component]:
    """A part for each feature, one for what holds everywhere, one for each outside system that a requirement speaks of."""
    groups = grouped(m, items)
    named = [(group, title_of(group, m)) for group in groups]
    if len(named) == 1 and not named[0][0].stated:
        changed = m.ask is not None and m.ask.exists
        named = [(groups[0], m.say("component_changed", text=m.whole) if changed else m.whole)]
    found = []
    for group, name in named:
        mine = group.items
        text = m.several(short(item.title, _TITLE) for item in mine[:_MAX_TOLD])
        more = m.say("and_more") if len(mine) > _MAX_TOLD else ""
        found.append(
            Component(
                name=short(name, 140),
                responsibility=text + more,
                requirements=unique(item.id for item in mine),
                source="stated" if group.stated else "proposed",
                reason=""
                if group.stated
                else m.say("component_limits_why" if group.limits else "component_why"),
            )
        )
    linked = [_dependent(part, found, items) for part in found]
    return [*_mapped(linked, m), *_adapters(m, items, {part.name for part in found})]


def _dependent(part: Component, parts: list[Component], items: list[Requirement]) -> Component:
    """Names the other parts that its requirements speak of."""
    words = {word for item in items if item.id in part.requirements for word in keywords(item.statement)}
    own = keywords(part.name)
    needs = [
        other.name
        for other in parts
        if other is not part
        and other.source == "stated"
        and (named := keywords(other.name) - own)
        and named <= words
    ]
    return part.model_copy(update={"depends_on": needs}) if needs else part


def _adapters(m: Material, items: list[Requirement], taken: set[str]) -> list[Component]:
    found = []
    for text in outside(m):
        mine = concerned(items, text)
        name = short(m.say("component_adapter", text=text), 140)
        if mine and name not in taken:
            found.append(
                Component(
                    name=name,
                    responsibility=m.say("component_adapter_text", text=text),
                    requirements=unique(item.id for item in mine),
                    reason=m.say("component_adapter_why"),
                )
            )
    return found


def _mapped(components: list[Component], m: Material) -> list[Component]:
    """Parts with the files of the repository whose paths and symbols hold their words; common words say nothing."""
    modules = m.repository.modules if m.repository else {}
    spread = Counter(word for words in modules.values() for word in words)
    common = {word for word, count in spread.items() if count > max(2, len(modules) // 3)}
    done = []
    for part in components:
        wanted = keywords(f"{part.name} {part.responsibility}") - common
        named = keywords(part.name) - common
        scored = [
            (len(words & wanted) + 2 * len(words & named), path)
            for path, words in modules.items()
            if len(words & wanted) > 1 or words & named
        ]
        best = [path for _, path in sorted(scored, key=lambda row: (-row[0], row[1]))[:_MAX_FILES]]
        done.append(part.model_copy(update={"files": best}) if best else part)
    return done


def _style(m: Material) -> Statement | None:
    """The form of what exists, else the one that the kind of thing has; None when the request says neither."""
    if m.repository and m.repository.modules:
        folders = Counter(path.rpartition("/")[0] or "." for path in m.repository.modules)
        named = m.lex.join([folder for folder, _ in folders.most_common(3)])
        return Statement(text=m.say("style_code", folders=named), reason=m.say("style_code_why"))
    if m.ask and m.ask.exists:
        return None
    opening = f"{m.analysis.title}\n{m.analysis.text[:_OPENING]}"
    asked = "\n".join(need.text for need in m.analysis.requirements)
    known = rows("shapes", m.lex.language)
    fitting = (row for row in known if row.fits(opening, m.excluded))
    wider = (row for row in known if row.anywhere and row.fits(asked, m.excluded))
    found = next(fitting, None) or next(wider, None)
    return Statement(text=found.texts[0], reason=found.texts[1]) if found else None


def _stack(m: Material) -> list[Choice]:
    found: dict[str, Choice] = {}

    def add(layer: str, name: str, why: str, source: str) -> None:
        row = Choice(layer=m.layer(layer), choice=name, rationale=m.say(why), source=source)  # type: ignore[arg-type]
        found.setdefault(name.lower(), row)

    if m.repository:
        for name in m.repository.languages[:4]:
            add("language", name, "stack_repository", "repository")
        for name, layer in m.repository.frameworks[:10]:
            add(layer, name, "stack_repository", "repository")
        for name in m.repository.tests:
            add("tests", name, "stack_repository", "repository")
    for name, layer in m.technologies:
        add(layer, name, "stack_stated", "stated")
    return list(found.values())


def _stack_later(m: Material, stack: list[Choice]) -> list[Choice]:
    """The stack with what a person's words ask for, and without what they no longer want."""
    wanted, unwanted = m.asked_later
    there = {row.choice.casefold() for row in stack}
    gone = {name.casefold() for name in unwanted}
    added = [
        Choice(layer=m.layer(layer), choice=name, rationale=m.say("stack_stated"), source="stated")
        for name, layer in wanted
        if name.casefold() not in there
    ]
    return [*(row for row in stack if row.choice.casefold() not in gone), *added]


def _data_model(m: Material) -> list[Entity]:
    given = m.given(Requirements)
    stated = {entity.name for entity in m.analysis.data}
    return [
        entity if entity.name in stated else entity.model_copy(update={"description": ""})
        for entity in (given.entities if given else [])
    ]


def _operations(items: list[Requirement], m: Material) -> list[Operation]:
    """The calls that the request spells out, else what people do with it."""
    found: dict[str, Operation] = {}
    for item in items:
        for verb, path in _CALL.findall(item.statement):
            name = f"{verb} {path}"
            found.setdefault(name, Operation(name=name, purpose=item.title, requirements=[item.id]))
    if found:
        return list(found.values())
    for item in items:
        known = clause(item.statement, tuple(m.actor_names()))
        if item.kind != "functional" or item.source == "proposed" or not known.actor or known.negated:
            continue
        for action in known.actions[:3]:
            name = short(lower_first(action), 60)
            if not name.startswith("be "):  # what befalls somebody is nothing that they call
                purpose = m.say("operation_for", actor=m.the_people(known.actor))
                found.setdefault(name, Operation(name=name, purpose=purpose, requirements=[item.id]))
    return list(found.values())[:_MAX_OPERATIONS]


def _without(previous: Architecture, m: Material) -> Architecture:
    """The architecture without the parts, calls and decisions that serve nothing but withdrawn requirements."""
    given = m.given(Requirements)
    gone = {item.statement for item in given.items if item.id in m.withdrawn} if given else set()
    components = _serving(previous.components, m.withdrawn)
    left = {part.name for part in previous.components} - {part.name for part in components}
    asked = {name for item in m.wanted for name, _ in technologies(item.statement)}
    unasked = {name for text in gone for name, _ in technologies(text)} - asked
    return previous.model_copy(
        update={
            "components": [
                part.model_copy(
                    update={
                        "depends_on": [name for name in part.depends_on if name not in left],
                        "responsibility": retold(part.responsibility, m),
                    }
                )
                for part in components
            ],
            "api": _serving(previous.api, m.withdrawn),
            "adrs": _serving(previous.adrs, m.withdrawn),
            "security": [row for row in previous.security if row.text not in gone],
            "stack": [row for row in previous.stack if row.source != "stated" or row.choice not in unasked],
        }
    )


def _serving(rows: Sequence[P], withdrawn: frozenset[str]) -> list[P]:
    """The rows without what they refer to of the withdrawn, and without those that refer to nothing else."""
    kept = []
    for row in rows:
        refs = [ref for ref in row.requirements if ref not in withdrawn]
        if refs or not row.requirements:
            kept.append(row if refs == row.requirements else row.model_copy(update={"requirements": refs}))
    return kept


def referred(content: Architecture) -> set[str]:
    mine = {ref for part in content.components for ref in part.requirements}
    return mine | {ref for adr in content.adrs for ref in adr.requirements}


def _revised(m: Material, previous: Architecture, items: list[Requirement]) -> Architecture:
    """What stands stays, but for what serves only what was withdrawn; requirements that nothing refers to get a component and
    a decision of their own."""
    previous = _without(previous, m)
    new = [item for item in items if item.id not in referred(previous)]
    if not new and not items:
        new = [Requirement(id="new", title=short(need.text), statement=need.text) for need in requests_in(m)]
    components = []
    if new:
        name = m.say("component_added", title=short(new[0].title, 100))
        if name not in {part.name for part in previous.components}:
            text = m.several(lower_first(item.title) for item in new[:6])
            refs = unique(item.id for item in new)
            why = m.say("component_added_why")
            components.append(Component(name=name, responsibility=text, requirements=refs, reason=why))
    kept = deepened(m, previous.adrs) if m.facts.get("improve") else list(previous.adrs)
    stack = _stack_later(m, previous.stack)
    open_questions = [each for each in previous.open_questions if not stack or each != m.say("ask_stack")]
    api = [row for row in _operations(new, m) if row.name not in {old.name for old in previous.api}]
    return previous.model_copy(
        update={
            "components": [*previous.components, *_mapped(components, m)],
            "stack": stack,
            "open_questions": open_questions,
            "adrs": [*kept, *(added(m, item) for item in new[:8])],
            "api": [*previous.api, *api],
            "security": [
                *previous.security,
                *(Statement(text=i.statement, source="stated") for i in new if i.category == "S"),
            ],
        }
    )
