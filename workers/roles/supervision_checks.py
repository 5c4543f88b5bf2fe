"""The checks of a supervisor by rule: documents against each other, and a plan against what it is made from.

A check that has nothing to compare yet gives nothing. Each says where it found what.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from orchestrator.domain.dataclass import dataclass, field, replace
from orchestrator.domain.graph import Fault
from orchestrator.domain.patterns import expression
from orchestrator.domain.plan import LEVELS, PLAN, Plan
from orchestrator.domain.plan_checks import MANY_FILES, MOST_TASKS, Ground, check_plan
from orchestrator.domain.supervision import FAIL, MOST_ERRORS, PASS, WARN, Check, Evidence, graded
from workers.documents.content import Architecture, Brief, Epics, Requirements
from workers.documents.identifiers import IDENTIFIER
from workers.documents.lint import Finding
from workers.documents.lint.comparing import Carriers, covers, is_negative, is_same
from workers.documents.lint.meaning import TWIN, difference, figures, likeness_apart
from workers.documents.lint.rules import short
from workers.documents.lint.specification import Said, Specification
from workers.documents.lint.statement_rules import spellings
from workers.documents.lint.trace_rules import orphans

_CLAUSES = expression(r"[;；。]\s*|\.\s+")  # of one statement: figures of one say nothing of the next
SHORTENED = "…"  # what was left out may be what agrees
NEAR = 12  # statements with which one is compared
MANY_SPELLINGS = 5  # terms in several spellings from which a check fails
COMPARED = frozenset({"goal", "requirement", "scope", "constraint", "decision", "story", "entry"})
ASKED_FOR = frozenset({"requirement", "scope", "epic", "story"})
SMALL = 3  # tasks of a plan of low complexity beyond which its level is doubted


@dataclass(frozen=True, slots=True)
class Supervised:
    """What is checked: documents as values, the plan where there is one, and what happened in the session."""

    spec: Specification
    exists: Callable[[str], bool]  # whether a file of the project is there
    errors: Mapping[str, int] = field(default_factory=dict)  # role -> failed attempts
    plan: Plan | None = None
    ground: Ground = field(default_factory=Ground)


def checks_by_rule(given: Supervised) -> list[Check]:
    """The checks of the documents, or of the plan where there is one; those with nothing to compare are left out."""
    rules = _DOCUMENTS if given.plan is None else _PLAN
    return [found for rule in rules if (found := rule(given)) is not None]


# documents


def _goals(given: Supervised) -> Check | None:
    """Each goal of the brief is served by a requirement."""
    goals = [goal for _, brief in given.spec.of(Brief) for goal in brief.goals]
    if not goals or not given.spec.of(Requirements):
        return None
    found = _of_rules(orphans(given.spec), "orphan_goal")
    said = f"{len(goals) - len(found)} of {len(goals)} goals have a requirement"
    return Check("goals", graded(len(found), len(goals)), said, found)


def _must(given: Supervised) -> Check | None:
    """Each requirement that must be met is designed, and told as a story."""
    musts = [item for _, item in given.spec.requirements if item.moscow == "Must"]
    if not musts or not any(isinstance(each, Architecture | Epics) for each in given.spec.contents.values()):
        return None
    known = {item.id for item in musts}
    found = tuple(
        each for each in _of_rules(orphans(given.spec), "no_design", "no_story") if each.place in known
    )
    missing = len({each.place for each in found})
    said = f"{len(musts) - missing} of {len(musts)} required items are in the design and the stories"
    return Check("must", graded(missing, len(musts)), said, found)


def _terms(given: Supervised) -> Check | None:
    """A term has one spelling in all documents."""
    found = tuple(Evidence(each.document, each.about) for each in spellings(given.spec))
    result = PASS if not found else FAIL if len(found) >= MANY_SPELLINGS else WARN
    return Check("terms", result, f"{_count(found, 'term')} in several spellings", found)


def _scope(given: Supervised) -> Check | None:
    """Nothing that the brief rules out is asked for."""
    outs = [row.text for _, brief in given.spec.of(Brief) for row in brief.out_of_scope]
    if not outs:
        return None
    known = Carriers(outs)
    found: list[Evidence] = []
    binding = False
    for said in given.spec.statements:
        if said.form in ASKED_FOR and said.open and (other := _ruled_out(said, known)):
            found.append(Evidence(said.place, short(said.text), f"out of scope: {short(other)}"))
            binding = binding or said.must
    result = PASS if not found else FAIL if binding or len(found) > 1 else WARN
    return Check(
        "scope", result, f"{_count(found, 'item')} asked for that the brief rules out", tuple(found), True
    )


def _ruled_out(said: Said, known: Carriers) -> str:
    for other in (known.items[at] for at in known.near(said.text, NEAR)):
        if is_same(said.text, other) or (covers(said.text, other) and not is_negative(said.text)):
            return other
    return ""


def _contradictions(given: Supervised) -> Check | None:
    """No two statements of the same words say the opposite, or give other figures."""
    rows = [
        replace(said, text=clause)
        for said in given.spec.statements
        if said.form in COMPARED and said.open
        for clause in _CLAUSES.split(said.text)
        if clause.strip() and not clause.rstrip().endswith(SHORTENED)
    ]
    found = list(_opposed(rows, rows))
    return _as_check(found, "no two statements contradict each other") if rows else None


def _opposed(rows: Sequence[Said], others: Sequence[Said]) -> Iterator[tuple[str, Evidence]]:
    """(how, evidence) of each pair of statements at different places that do not agree, each pair once."""
    by_text: dict[str, list[Said]] = {}
    for said in others:
        by_text.setdefault(said.text, []).append(said)
    mine = {said.text: said for said in rows}
    known = Carriers(by_text)
    told: set[frozenset[str]] = set()
    for said in rows:
        for text in (known.items[at] for at in known.near(said.text, NEAR)):
            if text == said.text or likeness_apart(said.text, text) < TWIN:
                continue
            how = difference(said.text, text)
            if how == "other_number" and not (figures(said.text) and figures(text)):
                continue  # one that says no figure contradicts none
            pair = frozenset((said.text, text))
            if how and pair not in told:
                told.add(pair)
                other = by_text[text][-1]  # where both say it, the later document: its items have identifiers
                own = mine.get(said.text, said)
                yield how, Evidence(_place(own), short(said.text), f"{_place(other)}: {short(text)}")


def _place(said: Said) -> str:
    """An item's identifier; of what has none, its document."""
    return said.place if IDENTIFIER.fullmatch(said.place) or said.document == "plan" else said.document


def _as_check(found: Sequence[tuple[str, Evidence]], fine: str) -> Check:
    """Opposites and other figures fail; what binds more or less only warns."""
    hard = [each for how, each in found if how != "other_modal"]
    soft = [each for how, each in found if how == "other_modal"]
    result = FAIL if hard else WARN if soft else PASS
    said = f"{_count([*hard, *soft], 'pair')} of statements that do not agree" if found else fine
    return Check("contradictions", result, said, (*hard, *soft), True)


def _files(given: Supervised) -> Check | None:
    """The files of the project that the architecture names are there."""
    named = [
        (part.name, path)
        for _, design in given.spec.of(Architecture)
        for part in design.components
        for path in part.files
    ]
    if not named:
        return None
    found = tuple(
        Evidence(name, short(path), "no such file in the project")
        for name, path in named
        if not given.exists(path)
    )
    said = f"{len(named) - len(found)} of {len(named)} named files are there"
    return Check("files", graded(len(found), len(named)), said, found)


def _errors(given: Supervised) -> Check | None:
    """No role has failed so often that its work is to be doubted."""
    many = {role: count for role, count in sorted(given.errors.items()) if count >= MOST_ERRORS}
    found = tuple(Evidence(role, f"{count} attempts failed or were lost") for role, count in many.items())
    return Check(
        "errors", FAIL if found else PASS, f"{_count(found, 'role')} with {MOST_ERRORS} or more errors", found
    )


# a plan


def _plan_graph(given: Supervised) -> Check | None:
    """The plan's tasks can be carried out in some order, and cite what is there."""
    assert given.plan is not None
    found = [
        fault
        for fault in check_plan(given.plan, given.ground).faults
        if not _about(fault, "files", "uncovered")
    ]
    evidence = tuple(_evidence(fault) for fault in found)
    return Check("graph", FAIL if found else PASS, f"{_count(found, 'fault')} in its tasks", evidence, True)


def _plan_must(given: Supervised) -> Check | None:
    """The plan carries each requirement that must be met; what it leaves out with a reason is a risk."""
    assert given.plan is not None
    faults = [fault for fault in check_plan(given.plan, given.ground).faults if _about(fault, "uncovered")]
    left = [each for each in given.plan.uncovered if each.id in given.ground.must]
    if not given.ground.must and not faults:
        return None
    evidence = (
        *map(_evidence, faults),
        *(Evidence(each.id, f"left out: {short(each.reason)}") for each in left),
    )
    result = FAIL if faults else WARN if left else PASS
    said = f"{len(given.ground.must) - len(evidence)} of {len(given.ground.must)} required items are planned"
    return Check("must", result, said, evidence)


def _plan_files(given: Supervised) -> Check | None:
    """Files that are to be changed are there, and files that are to be created are not."""
    assert given.plan is not None
    named = sum(len(task.files) for task in given.plan.tasks)
    if not named:
        return None
    faults = [fault for fault in check_plan(given.plan, given.ground).faults if _about(fault, "files")]
    said = f"{named - len(faults)} of {named} named files fit the project"
    return Check("files", FAIL if faults else PASS, said, tuple(map(_evidence, faults)))


def _complexity(given: Supervised) -> Check | None:
    """The number and size of the tasks fit the complexity that the request was given."""
    assert given.plan is not None
    tasks, level = given.plan.tasks, given.plan.complexity.level
    found = [
        Evidence(task.id, f"touches {len(task.files)} files, more than {MANY_FILES}")
        for task in tasks
        if len(task.files) > MANY_FILES
    ]
    if level == LEVELS[0] and len(tasks) > SMALL:
        found.append(Evidence(PLAN, f"complexity {level}, and {len(tasks)} tasks"))
    if level == LEVELS[-1] and len(tasks) == 1:
        found.append(Evidence(PLAN, f"complexity {level}, and one task"))
    result = FAIL if not 1 <= len(tasks) <= MOST_TASKS else WARN if found else PASS
    return Check("complexity", result, f"complexity {level}, {_count(tasks, 'task')}", tuple(found))


def _plan_scope(given: Supervised) -> Check | None:
    """No task of the plan does what the brief rules out."""
    assert given.plan is not None
    outs = [row.text for _, brief in given.spec.of(Brief) for row in brief.out_of_scope]
    if not outs:
        return None
    known = Carriers(outs)
    found = []
    for task in given.plan.tasks:
        said = Said("plan", task.id, "requirement", task.title)
        if task.kind != "remove" and (other := _ruled_out(said, known)):
            found.append(Evidence(task.id, short(task.title), f"out of scope: {short(other)}"))
    return Check(
        "scope",
        FAIL if found else PASS,
        f"{_count(found, 'task')} that the brief rules out",
        tuple(found),
        True,
    )


def _plan_contradictions(given: Supervised) -> Check | None:
    """What the plan decides and does agrees with the specification's decisions and requirements."""
    assert given.plan is not None
    rows = [
        *(
            Said("plan", f"decision {number}", "decision", each.decision)
            for number, each in enumerate(given.plan.decisions, 1)
        ),
        *(
            Said("plan", each.id, "requirement", each.text)
            for task in given.plan.tasks
            for each in task.criteria
        ),
    ]
    others = [
        Said(said.document, said.place, said.form, text)
        for said in given.spec.statements
        if said.form in COMPARED and said.open
        for text in (said.text, *(said.also if said.form == "requirement" else ()))
        if text
    ]
    if not rows or not others:
        return None
    return _as_check(list(_opposed(rows, others)), "the plan contradicts no statement of the specification")


def _about(fault: Fault, *parts: str) -> bool:
    return any(part in parts for part in fault.place)


def _evidence(fault: Fault) -> Evidence:
    return Evidence(".".join(map(str, fault.place)), short(fault.text))


def _of_rules(findings: Iterator[Finding], *rules: str) -> tuple[Evidence, ...]:
    return tuple(Evidence(each.place, short(each.text)) for each in findings if each.rule in rules)


def _count(found: Sequence[object], what: str) -> str:
    return f"{len(found) or 'no'} {what}{'' if len(found) == 1 else 's'}"


Rule = Callable[[Supervised], Check | None]
_DOCUMENTS: tuple[Rule, ...] = (_goals, _must, _terms, _scope, _contradictions, _files, _errors)
_PLAN: tuple[Rule, ...] = (
    _plan_graph,
    _plan_must,
    _plan_files,
    _complexity,
    _plan_scope,
    _plan_contradictions,
    _errors,
)
