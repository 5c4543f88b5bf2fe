"""What is wrong with traces: ends that are missing, ends that do not exist, and ends that have nothing in common."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from workers.documents.content import Architecture, Brief, Epics
from workers.documents.identifiers import IDENTIFIER
from workers.documents.lint.comparing import is_one_script, words
from workers.documents.lint.rules import Finding, finding
from workers.documents.lint.specification import Said, Specification, place_of

_MOST = 0.4  # share of a document's traces without a common word from which they are forced as a whole
_LEAST = 4  # traces that a document must have before shares say anything
_COMMON = 0.5  # a word that more than this share of all requirements has is common to nothing
_MANY = 8  # requirements from which words can be common


def dead_ends(spec: Specification) -> Iterator[Finding]:
    """References to what no document defines."""
    for said in spec.statements:
        for name in said.refs:
            known = spec.defined.get(name.partition("-")[0])
            if known is not None and IDENTIFIER.fullmatch(name) and name not in known:
                yield finding(
                    "dead_reference", said.document, said.place, name, language=spec.sources.language
                )


def orphans(spec: Specification) -> Iterator[Finding]:
    """Goals without requirement, requirements without goal, part or story, parts and epics without either."""
    language = spec.sources.language
    served = {name for _, item in spec.requirements for name in item.goals}
    goals = [(kind, goal) for kind, brief in spec.of(Brief) for goal in brief.goals]
    known = {goal.id for _, goal in goals if IDENTIFIER.fullmatch(goal.id)}
    for _, goal in goals if spec.requirements else []:
        if goal.id in known and goal.id not in served:
            yield finding("orphan_goal", spec.requirements[0][0], goal.id, goal.text, language=language)
    for kind, item in spec.requirements if known else []:
        if not set(item.goals) & known:
            where = place_of(item.id, item.title)
            yield finding("orphan_requirement", kind, where, item.statement, language=language)
    designed = _named(spec, Architecture)
    told = _named(spec, Epics)
    for _, item in spec.requirements:
        if item.moscow == "Must" and designed is not None and item.id not in designed:
            kind = spec.of(Architecture)[0][0]
            yield finding("no_design", kind, item.id, item.title, language=language)
        if item.moscow in ("Must", "Should") and told is not None and item.id not in told:
            yield finding("no_story", spec.of(Epics)[0][0], item.id, item.title, language=language)
    for said in spec.statements:
        if said.form == "component" and not said.refs:
            yield finding("no_reference_design", said.document, said.place, said.text, language=language)
    for kind, epics in spec.of(Epics):
        for epic in epics.items:
            if not epic.stories and epic.moscow != "Won't":
                where = place_of(epic.id, epic.title)
                yield finding("no_stories", kind, where, epic.goal, language=language)


def _named(spec: Specification, model: type[Architecture] | type[Epics]) -> set[str] | None:
    """The requirements that documents of a model refer to; None where there is no such document."""
    kinds = {kind for kind, _ in spec.of(model)}
    if not kinds:
        return None
    return {name for said in spec.statements if said.document in kinds for name in said.refs}


def weak_goals(spec: Specification) -> Iterator[Finding]:
    """Goals without metric and target."""
    for kind, brief in spec.of(Brief):
        for goal in brief.goals:
            if not goal.metric and not goal.target and not any(c.isdigit() for c in goal.text):
                yield finding(
                    "goal_without_metric",
                    kind,
                    place_of(goal.id, goal.text),
                    goal.text,
                    language=spec.sources.language,
                )


def choices(spec: Specification) -> Iterator[Finding]:
    """Decisions that chose among fewer than two ways."""
    for kind, design in spec.of(Architecture):
        for adr in design.adrs:
            if len(adr.alternatives) < 2:
                yield finding(
                    "one_choice",
                    kind,
                    place_of(adr.id, adr.title),
                    adr.title,
                    language=spec.sources.language,
                )


def forced(spec: Specification) -> Iterator[Finding]:
    """Traces whose ends have no word in common; where most of a document's are so, it was written of something else."""
    language = spec.sources.language
    common = _common(spec)
    traces: Counter[str] = Counter()
    found: dict[str, list[tuple[Said, Said]]] = {}
    for said in spec.statements:
        for other in (spec.by_id.get(name) for name in said.refs):
            if other is None or not is_one_script(said.text, other.text):
                continue
            real = is_real(said, other, common)
            if other.form == "goal":  # what serves a goal need not speak of it
                if not real:
                    yield finding(
                        "weak_goal_trace",
                        said.document,
                        said.place,
                        said.text,
                        language=language,
                        other=other.place,
                    )
                continue
            traces[said.document] += 1
            if not real:
                found.setdefault(said.document, []).append((said, other))
    for kind, pairs in found.items():
        if traces[kind] >= _LEAST and len(pairs) >= _MOST * traces[kind]:
            places = "; ".join(f"{said.place} > {other.place}" for said, other in pairs)
            yield finding("forced_traces", kind, kind, places, language=language)
            continue
        for said, other in pairs:
            yield finding("forced_trace", kind, said.place, said.text, language=language, other=other.place)


def forced_pairs(spec: Specification) -> frozenset[tuple[str, str]]:
    """The traces whose ends have no word in common, goals left aside, each as two identifiers."""
    common = _common(spec)
    return frozenset(
        (said.place, name)
        for said in spec.statements
        for name in said.refs
        if (other := spec.by_id.get(name)) is not None
        and other.form != "goal"
        and is_one_script(said.text, other.text)
        and not is_real(said, other, common)
    )


def is_real(said: Said, other: Said, common: frozenset[str] = frozenset()) -> bool:
    """Whether two items that are traced to each other share a word that says what they are about."""
    return bool((_all_words(said) & _all_words(other)) - common)


def _all_words(said: Said) -> frozenset[str]:
    return words(" ".join((said.title, said.text, *said.also)))


def _common(spec: Specification) -> frozenset[str]:
    """Words that join anything: users, and what most requirements speak of."""
    users = [user.name for _, brief in spec.of(Brief) for user in brief.users]
    users += [story.as_a for _, epics in spec.of(Epics) for epic in epics.items for story in epic.stories]
    persons = frozenset(word for name in users for word in words(name))
    rows = [words(f"{item.title} {item.statement}") for _, item in spec.requirements]
    if len(rows) < _MANY:
        return persons
    counts = Counter(word for row in rows for word in row)
    return persons | frozenset(word for word, number in counts.items() if number > _COMMON * len(rows))
