"""Rework: the tasks that revise, recheck and improve make, and who waits for them (docs/domain.md, section 6).

A completed task is never changed. Its rework is `-R<n>`, and everything completed behind it is reworked too,
one after the other, up to the quality check. The chain is found on the *original* tasks: revisions are
versions of them and never links of their own. New tasks wait only for completed ones and for each
other, unfinished ones wait for the new: so the graph stays acyclic.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from orchestrator.domain import ids
from orchestrator.domain.concerns import ARCH
from orchestrator.domain.dataclass import dataclass, replace
from orchestrator.domain.documents import DIMENSIONS, Catalogue
from orchestrator.domain.errors import NotAllowedNow, UnknownName
from orchestrator.domain.graph import topological
from orchestrator.domain.model import UNFINISHED, TaskState, TaskStatus

FEEDBACK_TO = (
    "feedback_to"  # in the payload of what is only made again: the task that the words were given to
)
_ASKED = {"revise": 'revise {} "..."', "feedback": 'feedback "..." --task {}'}
LIMIT = 2  # revisions made for one task without --force
IMPROVE = "IMPROVE"
BUILDS = ("IMPL", "DEV-FE")  # prefixes of tasks that change code
JUDGES = ("TEST", "REVIEW", "QA-FE")  # ... and of those that judge it
AUDITS = "QA-FE"  # of those that have rounds

Graph = Mapping[str, TaskState]
Edge = tuple[str, str]  # (task, new blocker)


@dataclass(frozen=True, slots=True)
class RevisionPlan:
    """What one command of rework adds to a session, applied in one transaction."""

    tasks: tuple[TaskState, ...]  # new and pending, blockers first
    extra_edges: tuple[Edge, ...] = ()  # existing tasks that wait for a new one
    release: tuple[str, ...] = ()  # running tasks whose run is released; the attempt does not count
    withdraw: tuple[str, ...] = ()  # offered tasks that may not start now
    documents: tuple[str, ...] = ()  # improve: the drafts to work on
    dimension: str | None = None


def plan_revision(
    graph: Graph, task: str, catalogue: Catalogue, force: bool = False, command: str = "revise"
) -> RevisionPlan:
    """Revise a completed task and the completed tasks that depend on it. Raises UnknownName or NotAllowedNow.

    `command`: how it was asked for, to say how it is asked for once more.
    """
    base = ids.parse_key(task).base
    if task not in graph or base not in graph:
        raise UnknownName("task", task, graph)
    _refuse_unless_completed(graph, base)
    made = sum(state.made_for for state in _revisions(graph, base))
    if made >= LIMIT and not force:
        raise NotAllowedNow(
            f"{base} has already been revised {made} times",
            why=f"a task is revised at most {LIMIT} times",
            fix=f"`lifecycle {_ASKED[command].format(base)} --force` allows one more",
        )
    if _is_aside(graph[base]):
        raise NotAllowedNow(
            f"{base} is advice and is not revised",
            why="nothing is built on it",
            fix='lifecycle advise "..." asks again',
        )
    if graph[base].prefix in BUILDS:
        return plan_build(graph, base)
    originals = _originals(graph)
    behind = _descendants(originals, base)
    chain = _chain(originals, base, behind, catalogue)
    rework = [key for key in chain if graph[key].status is TaskStatus.COMPLETED and not _open(graph, key)]
    waiting = [state for key in dict.fromkeys((*behind, *chain)) for state in _open(graph, key)]
    return _plan(graph, rework, waiting, made_for=base)


def plan_build(graph: Graph, base: str) -> RevisionPlan:
    """Do a task that changes code again, on what has landed since; who judges it judges again, and nothing else runs.

    What has not begun and waits for the task waits for its revision as well.
    """
    judges = [each for each in judging_tasks(graph) if base in works_behind(graph, each.key)]
    behind = dict.fromkeys((*_descendants(_originals(graph), base), *(each.key for each in judges)))
    waiting = [state for key in behind for state in _open(graph, key)]
    waiting = [each for each in waiting if each.prefix in JUDGES or each.status is not TaskStatus.IN_PROGRESS]
    build = _plan(graph, [base], waiting, made_for=base)
    made = build.tasks[0].key
    looks = [
        _plan(graph, [each.key], ()).tasks[0]
        for each in judges
        if each.status is TaskStatus.COMPLETED and not _open(graph, each.key)
    ]
    return replace(build, tasks=(*build.tasks, *(replace(each, blocked_by=(made,)) for each in looks)))


def plan_rejection(
    graph: Graph, task: str, catalogue: Catalogue, *, is_carried_out: bool = False
) -> RevisionPlan:
    """The revision of a rejected plan, which `task` made. Raises NotAllowedNow when two of it were rejected before.

    `is_carried_out`: tasks of a plan before were made. Their work stays, and who waited for `task` waits for its revision.
    """
    base = ids.parse_key(task).base
    if sum(each.made_for for each in _revisions(graph, base)) >= LIMIT:
        raise NotAllowedNow(
            f"the plan of {base} was made anew {LIMIT} times already",
            why=f"a rejected plan is made anew at most {LIMIT} times",
            fix="edit the files of the plan by hand and `lifecycle resume`, or `lifecycle cancel`",
        )
    if is_carried_out:
        waiting = [each for each in graph.values() if task in each.blocked_by and each.status in UNFINISHED]
        return _plan(graph, [base], waiting, made_for=base)
    return plan_revision(graph, base, catalogue)


def superseded(graph: Graph) -> frozenset[str]:
    """The audits that a later round has replaced."""
    found = set()
    for each in graph.values():
        if each.prefix == AUDITS and each.revision_of is None:
            builds = (graph[key] for key in each.blocked_by if key in graph)
            found |= {
                graph[key].revision_of or key
                for build in builds
                if build.prefix in BUILDS
                for key in build.blocked_by
                if key in graph and graph[key].prefix == AUDITS
            }
    return frozenset(found)


def judging_tasks(graph: Graph) -> list[TaskState]:
    """The tasks that judge what was built, without their repetitions, and of the rounds of an audit the last one."""
    replaced = superseded(graph)
    return [
        each
        for each in graph.values()
        if each.prefix in JUDGES and each.revision_of is None and each.key not in replaced
    ]


def works_behind(graph: Graph, judge: str) -> frozenset[str]:
    """Everything that a judging task waits for, directly or not, as originals.

    Work that was planned or mended later is what its repetitions wait for; it is among it.
    """
    found: set[str] = set()
    left = [judge]
    while left:
        key = left.pop()
        for base in _bases(graph, graph[key]) - found:
            found.add(base)
            left.append(base)
        found |= {
            graph[blocker].revision_of or blocker
            for each in _revisions(graph, key)
            for blocker in each.blocked_by
            if blocker in graph and graph[blocker].prefix in BUILDS
        }
    return frozenset(found)


def plan_high(graph: Graph, task: str) -> RevisionPlan:
    """The revision after a HIGH verdict on `task`; only its direct, pending successors wait for it."""
    waiting = [s for s in graph.values() if task in s.blocked_by and s.status is TaskStatus.PENDING]
    return _plan(graph, [task], waiting, made_for=task)


def plan_recheck(graph: Graph, catalogue: Catalogue) -> RevisionPlan:
    """Score the specification again."""
    check = _finished_check(graph, catalogue, "recheck")
    if pending := _open(graph, check):
        raise NotAllowedNow(
            f"{pending[0].key} is already {pending[0].status}",
            why="it will score the documents as they are then",
            fix="`lifecycle check` shows when it is completed",
        )
    return _plan(graph, _with_discussion(graph, check), _not_started(graph, check))


def check_dimension(name: str | None, known: Sequence[str] = DIMENSIONS) -> None:
    """Raises UnknownName, which lists the dimensions."""
    if name is not None and name not in known:
        raise UnknownName(
            "dimension", name, known, fix="`lifecycle improve DIMENSION`, or without a dimension"
        )


def plan_improve(
    graph: Graph,
    dimension: str | None,
    scores: Mapping[str, float],
    catalogue: Catalogue,
    weak_documents: Sequence[str] = (),
    role: str = "writer",
) -> RevisionPlan:
    """Work on one dimension (the lowest-scoring when None is named), then score again.

    `weak_documents` are the drafts the scores point at; without them those that can raise the dimension.
    """
    check_dimension(dimension)
    check = _finished_check(graph, catalogue, "improve")
    report = catalogue.of_task(check)
    assert report is not None
    check_dimension(dimension, report.measures)
    chosen = dimension or min(report.measures, key=lambda name: scores.get(name, 100.0))
    stem = f"{IMPROVE}-{chosen}-"
    number = 1 + max((int(key[len(stem) :][:3]) for key in graph if key.startswith(stem)), default=0)
    behind = _descendants(_originals(graph), check)  # they wait for the new score themselves
    writing = [
        state.key
        for state in graph.values()
        if state.status in UNFINISHED
        if state.prefix == IMPROVE
        or (catalogue.is_draft(state.key) and (state.revision_of or state.key) not in behind)
    ]
    improve = TaskState(
        key=f"{stem}{number:03d}",
        role=role,
        prefix=IMPROVE,
        status=TaskStatus.PENDING,
        blocked_by=(check, *writing),  # two that write one document at once would lose what one of them wrote
        phase=graph[check].phase,
    )
    documents = tuple(weak_documents) or targets(graph, catalogue, report.kind, chosen)
    again = _open(graph, check)
    if again:
        plan = _plan_edges([state for state in again if state.revision_of], improve.key)
        return replace(plan, tasks=(improve,), documents=documents, dimension=chosen)
    plan = _plan(graph, _with_discussion(graph, check), _not_started(graph, check), first_blocker=improve.key)
    return replace(plan, tasks=(improve, *plan.tasks), documents=documents, dimension=chosen)


def targets(graph: Graph, catalogue: Catalogue, report: str, dimension: str) -> tuple[str, ...]:
    """The tasks of the documents that a report scores and that work on them can raise a dimension of."""
    able = [catalogue[kind] for kind in catalogue[report].scores if dimension in catalogue[kind].improves]
    originals = [key for key, state in graph.items() if state.revision_of is None]
    return tuple(key for document in able for key in originals if document.makes(key))


def _plan(
    graph: Graph,
    rework: Sequence[str],
    waiting: Iterable[TaskState],
    made_for: str | None = None,
    first_blocker: str | None = None,
) -> RevisionPlan:
    """New revisions of `rework`, each blocked by the one before, and edges to the last for whoever waits."""
    tasks: list[TaskState] = []
    blockers = tuple(key for key in (rework[0], first_blocker) if key)
    for key in rework:
        number = 1 + max((state.revision_no for state in _revisions(graph, key)), default=0)
        tasks.append(
            replace(
                graph[key],
                key=ids.revision_key(key, number),
                status=TaskStatus.PENDING,
                blocked_by=blockers,
                revision_of=key,
                revision_no=number,
                made_for=key == made_for,
                offered=False,
                not_before=None,
                attempts=0,
                seq=0,
            )
        )
        blockers = (tasks[-1].key,)
    return replace(_plan_edges(waiting, tasks[-1].key), tasks=tuple(tasks))


def _plan_edges(waiting: Iterable[TaskState], blocker: str) -> RevisionPlan:
    states = list(waiting)
    return RevisionPlan(
        tasks=(),
        extra_edges=tuple((state.key, blocker) for state in states),
        release=tuple(state.key for state in states if state.status is TaskStatus.IN_PROGRESS),
        withdraw=tuple(s.key for s in states if s.offered and s.status is TaskStatus.PENDING),
    )


def _chain(originals: Graph, base: str, behind: Sequence[str], catalogue: Catalogue) -> list[str]:
    """`base` and what is behind it, as far as the quality check and its own discussion."""
    check = next((key for key in originals if catalogue.is_report(key)), None)
    if check is None or originals[base].phase != originals[check].phase:
        return [base, *behind]
    after = set(_descendants(originals, check))
    before = [key for key in behind if key not in after and key != check]
    recheck = _with_discussion(originals, check)
    own = [] if base in recheck else [base]
    return own + before + recheck


def _with_discussion(graph: Graph, check: str) -> list[str]:
    """The check, and in the standalone form the discussion that signs it off."""
    discussions = [
        state.key
        for state in graph.values()
        if state.prefix == "DISCUSS" and check in state.blocked_by and state.revision_of is None
        if state.status is TaskStatus.COMPLETED
    ]
    return [check, *discussions]


def _finished_check(graph: Graph, catalogue: Catalogue, command: str) -> str:
    originals = [state for state in graph.values() if state.revision_of is None]
    checks = [state for state in originals if catalogue.is_report(state.key)]
    done = [state.key for state in checks if state.status is TaskStatus.COMPLETED]
    if not done:
        why = f"{checks[0].key} is {checks[0].status}" if checks else "this session has no quality check"
        raise NotAllowedNow(f"{command} needs a readiness report", why=why, fix="wait until it is completed")
    return done[0]


def _not_started(graph: Graph, check: str) -> list[TaskState]:
    """What is behind the check and has not begun: it waits for the new score."""
    states = [state for key in _descendants(_originals(graph), check) for state in _open(graph, key)]
    return [state for state in states if state.status is not TaskStatus.IN_PROGRESS]


def _refuse_unless_completed(graph: Graph, base: str) -> None:
    newest = _open(graph, base) or [graph[base]]
    if newest[0].status is not TaskStatus.COMPLETED:
        raise NotAllowedNow(
            f"{newest[0].key} is {newest[0].status}, not completed",
            why="only completed work can be revised",
            fix="use `lifecycle feedback`, or wait until it is completed",
        )


def _originals(graph: Graph) -> dict[str, TaskState]:
    """The original tasks in topological order, edges to revisions turned into edges to their originals."""
    plain = [
        replace(state, blocked_by=tuple(dict.fromkeys(_bases(graph, state) - {state.key})))
        for state in graph.values()
        if state.revision_of is None and not _is_aside(state)
    ]
    return {state.key: state for state in topological(plain)}


def _is_aside(state: TaskState) -> bool:
    """Advice that somebody asked for: nothing is built on it, so nothing reworks it."""
    return state.prefix == ARCH and ids.parse_key(state.key).stem != ARCH


def _bases(graph: Graph, state: TaskState) -> set[str]:
    bases = {graph[key].revision_of or key for key in state.blocked_by if key in graph}
    return {key for key in bases if key in graph}


def _descendants(originals: Graph, base: str) -> list[str]:
    """Everything behind `base`, in topological order."""
    reached = {base}
    for key, state in originals.items():  # blockers come first, so one pass is enough
        if reached.intersection(state.blocked_by):
            reached.add(key)
    return [key for key in originals if key in reached and key != base]


def _revisions(graph: Graph, base: str) -> list[TaskState]:
    return [state for state in graph.values() if state.revision_of == base]


def _open(graph: Graph, base: str) -> list[TaskState]:
    """The unfinished versions of a task: itself, or its newest revisions."""
    return [s for s in (graph[base], *_revisions(graph, base)) if s.status in UNFINISHED]
