"""Fix rounds: what the tests and the review found becomes one task, and both look again (docs/evidence.md).

The last verdict of a round decides, in its own transaction, from all of them. Two rounds at most; then, or sooner where a
round changed nothing, a person decides what becomes of the findings that are open.

Rounds are counted anew once work was added that no fix round made. It cannot go on for ever: such work comes from a person
(`revise`, `feedback`, an approved change), or from rules that end by themselves (ten tasks by gaps, one by an audit).
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence

from orchestrator.domain import ids
from orchestrator.domain.dataclass import dataclass, replace
from orchestrator.domain.evidence import Finding
from orchestrator.domain.frontend_audit import FAIL
from orchestrator.domain.json_types import Json, JsonObject
from orchestrator.domain.model import SATISFIED, TaskState, TaskStatus
from orchestrator.domain.pauses import PauseReason
from orchestrator.domain.revisions import BUILDS, JUDGES, Graph, judging_tasks
from orchestrator.lifecycle import rework
from orchestrator.lifecycle.finished_run import Report
from orchestrator.store import decisions, messages, records, tasks, work
from orchestrator.store.rows import Verdict
from orchestrator.store.store import Tx
from orchestrator.store.task_states import graph

LIMIT = 2  # fix rounds for the same work
FIX = "-fix"  # how the stems of their tasks end: IMPL-fix-001, DEV-FE-fix-001 where only a frontend is built
REBASED = "-rebase"  # of those that bring the work onto the user's branch
REBASE = "rebase"  # of their payloads: onto which commit
VERDICTS = (
    "test",
    "review",
)  # kinds of verdicts that decide a round; audits have rounds of their own besides
BAD = frozenset({"FIX_REQUIRED", "BLOCK"})
ACCEPTS = (
    "accept_revision"  # what a decision that accepts open findings is about, with its task where one is named
)
NAMED = 50  # findings that a fix task is given


@dataclass(frozen=True, slots=True)
class Judgement:
    """The newest verdict of one judging task."""

    task: str  # the original's key
    verdict: str
    head: str  # the commit that was judged
    findings: tuple[Finding, ...]

    @property
    def is_bad(self) -> bool:
        """Whether it makes a fix round: by its word, or because findings are left that were to be fixed."""
        return self.verdict in BAD or bool(self.findings)


@dataclass(frozen=True, slots=True)
class Before:
    """What a fix round began with: all that was found, and the head."""

    found: frozenset[str]  # `fingerprints`
    head: str = ""  # empty where the round was made before it was noted


@dataclass(frozen=True, slots=True)
class Decision:
    """What follows from a round: tasks, or a pause with what is open; neither where all is well."""

    tasks: tuple[TaskState, ...] = ()
    number: int = 0  # of the round that the tasks are
    findings: tuple[Finding, ...] = ()
    exhausted: str = ""  # why a person has to decide
    since: str = ""  # a review of what has landed after this commit


def decide(state: Graph, judgements: Sequence[Judgement], before: Before | None, head: str) -> Decision:
    """What follows when every judging task has its verdict; `before`: what the last fix round began with, None at first."""
    judges = judging_tasks(state)
    newest = {each.key: newest_version(state, each.key) for each in judges}
    builder = _builder(state)
    if builder is None or not judges or any(each.status not in SATISFIED for each in newest.values()):
        return Decision()
    bad = [each for each in judgements if each.is_bad]
    if not bad:
        return _late_test(state, judgements, head) or _late_review(state, judgements, head)
    findings = tuple(finding for each in bad for finding in each.findings)
    rounds = _rounds(state)
    if len(rounds) >= LIMIT:
        return Decision(findings=findings, exhausted=f"{len(rounds)} fix rounds are over")
    if before is not None and before.head and before.head == head:
        return Decision(findings=findings, exhausted="nothing landed in the last fix round")
    if before is not None and before.found and before.found <= fingerprints(findings):
        return Decision(findings=findings, exhausted="the last fix round changed nothing of what was found")
    number = 1 + sum(_is_round(each) for each in state.values())
    fix = TaskState(
        key=f"{builder.prefix}{FIX}-{number:03d}",
        role=builder.role,
        prefix=builder.prefix,
        status=TaskStatus.PENDING,
        blocked_by=tuple(each.key for each in newest.values()),
        phase=judges[0].phase,
    )
    judging = tuple(again(state, each, (fix.key,)) for each in judges)
    return Decision((fix, *judging), number, findings)


def _rounds(state: Graph) -> list[TaskState]:
    """The tasks of the fix rounds since work was added last, in order."""
    builds = [each for each in state.values() if each.prefix in BUILDS]
    added = max((each.seq for each in builds if not _is_round(each) and not _is_rebase(each)), default=0)
    return sorted(
        (each for each in builds if _is_round(each) and each.seq > added), key=lambda each: each.seq
    )


def _is_round(task: TaskState) -> bool:
    """Whether a fix round made the task; one that a person has revised is work that was added."""
    return _is_made(task, FIX)


def _is_rebase(task: TaskState) -> bool:
    return is_rebase(task.key) and task.revision_of is None


def is_rebase(key: str) -> bool:
    """Whether the task of that key brings the work onto the user's branch, first or again."""
    return ids.parse_key(key).stem.endswith(REBASED)


def _is_made(task: TaskState, how: str) -> bool:
    return task.prefix in BUILDS and ids.parse_key(task.key).stem.endswith(how) and task.revision_of is None


def _builder(state: Graph) -> TaskState | None:
    """A task whose role mends: the backend's, which may change everything, where it has work, else the frontend's."""
    builds = [each for each in state.values() if each.prefix in BUILDS]
    used = [each for each in builds if each.status is not TaskStatus.SKIPPED] or builds
    return min(used, key=lambda each: (BUILDS.index(each.prefix), each.seq), default=None)


def rebase_tasks(state: Graph) -> tuple[int, tuple[TaskState, ...]]:
    """A number, and the task that brings the session's work onto the user's branch with those that judge it again."""
    judges, builder = judging_tasks(state), _builder(state)
    assert builder is not None
    builds = [each for each in state.values() if each.prefix in BUILDS]
    newest = [newest_version(state, each.key) for each in judges] or builds
    number = 1 + sum(_is_rebase(each) for each in state.values())
    made = TaskState(
        key=f"{builder.prefix}{REBASED}-{number:03d}",
        role=builder.role,
        prefix=builder.prefix,
        status=TaskStatus.PENDING,
        blocked_by=tuple(each.key for each in newest),
        phase=newest[0].phase,
    )
    return number, (made, *(again(state, each, (made.key,)) for each in judges))


def fingerprint(finding: Finding) -> str:
    """What tells a finding from others, wherever its line has moved."""
    return "\0".join((finding.check, finding.rule, finding.path, finding.text))


def fingerprints(findings: Iterable[Finding]) -> frozenset[str]:
    """Those of several findings, short enough to be kept of every one."""
    return frozenset(hashlib.sha256(fingerprint(each).encode()).hexdigest()[:16] for each in findings)


def apply(tx: Tx, report: Report) -> tuple[PauseReason | None, JsonObject]:
    """Carry out what follows from the report's verdict, in its transaction; the pause, if any, with its detail."""
    row = report.row
    state = graph(tasks.all_tasks(tx, row.session_id))
    found = work.work_of(tx, row.session_id)
    verdicts = [each for each in records.verdicts_of(tx, row.session_id) if each.kind in VERDICTS]
    judgements = _newest_judgements(state, verdicts)
    head = found.head if found else ""
    decided = decide(state, judgements, _before(state, tx, row.session_id), head)
    if decided.exhausted:
        open_findings = [each.as_json() for each in decided.findings[:NAMED]]
        messages.say(
            tx,
            row.session_id,
            row.role,
            "fix_required",
            f"{decided.exhausted}: {len(decided.findings)} findings are open",
            data={"findings": open_findings},
        )
        return PauseReason.REVISION_EXHAUSTED, {"why": decided.exhausted, "findings": open_findings}
    if decided.tasks:
        rework.add_tasks(
            tx,
            row.session_id,
            decided.tasks,
            report.max_attempts,
            lambda task: _payload(task, decided, head, row.session_id, tx),
        )
        made = ", ".join(task.key for task in decided.tasks)
        what = (
            f"fix round {decided.number}: {made}" if decided.number else f"{made} looks at what landed since"
        )
        messages.event(tx, row.session_id, "fix_round", what, number=decided.number, tasks=made)
    return None, {}


def _payload(task: TaskState, decided: Decision, head: str, session: str, tx: Tx) -> JsonObject:
    original = None if task.revision_of is None else tasks.task(tx, session, task.revision_of)
    kept = {} if original is None else dict(original.payload)
    if decided.since:
        return {**kept, "since": decided.since}
    if task.revision_of is not None:
        return kept
    return {
        "fix": {
            "round": decided.number,
            "findings": [each.as_json() for each in decided.findings[:NAMED]],
            "found": sorted(fingerprints(decided.findings)),
            "head": head,
        }
    }


def _late_test(state: Graph, judgements: Sequence[Judgement], head: str) -> Decision | None:
    """All tests on the last head, where something landed beside or after them: a frontend, say. None where they ran there.

    Each tester runs all tests, so one verdict about the last head is enough. That ends where several land what mends tests:
    whoever looks again is alone, and its verdict is about what it lands.
    """
    tests = [each for each in judgements if state[each.task].prefix == "TEST" and each.head and head]
    if not tests or any(each.head == head for each in tests):
        return None
    newest = tuple(newest_version(state, each.key).key for each in judging_tasks(state))
    return Decision((again(state, state[tests[0].task], newest),))


def _late_review(state: Graph, judgements: Sequence[Judgement], head: str) -> Decision:
    """A review of what landed after the commit that was reviewed; nothing where it was the head."""
    late = next(
        (
            each
            for each in judgements
            if state[each.task].prefix == "REVIEW" and each.head and head and each.head != head
        ),
        None,
    )
    if late is None:
        return Decision()
    original = state[late.task]
    review = again(state, original, (newest_version(state, original.key).key,))
    return Decision((review,), since=late.head)


def again(state: Graph, original: TaskState, blockers: tuple[str, ...]) -> TaskState:
    """The next revision of a task, pending behind `blockers`."""
    number = 1 + max((s.revision_no for s in state.values() if s.revision_of == original.key), default=0)
    return replace(
        original,
        key=ids.revision_key(original.key, number),
        status=TaskStatus.PENDING,
        blocked_by=blockers,
        revision_of=original.key,
        revision_no=number,
        made_for=False,
        offered=False,
        not_before=None,
        attempts=0,
        seq=0,
    )


def newest_version(state: Graph, key: str) -> TaskState:
    """The task or its last revision."""
    versions = [state[key], *(each for each in state.values() if each.revision_of == key)]
    return max(versions, key=lambda each: each.revision_no)


def unaccepted(tx: Tx, session: str) -> JsonObject | None:
    """The detail of a pause where the session would end with a verdict that nobody has accepted; None where all is well.

    A person may have answered the pause for it with a change that then led to no work.
    """
    state = graph(tasks.all_tasks(tx, session))
    if not any(each.prefix in BUILDS for each in state.values()):
        return None
    by_task = {each.task: each for each in records.verdicts_of(tx, session) if each.kind in VERDICTS}
    keys = [newest_version(state, judge.key).key for judge in judging_tasks(state)]
    bad = [by_task[key] for key in keys if key in by_task and _is_open(by_task[key])]
    subjects = {ACCEPTS, *(f"{ACCEPTS} {each.key}" for each in state.values() if each.prefix in JUDGES)}
    made = (each.at for each in decisions.decisions_of(tx, session) if each.subject in subjects)
    accepted = max(made, default=-1)
    left = [each for each in bad if each.created_at > accepted]
    if not left:
        return None
    why = ", ".join(f"{each.task}: {each.data['verdict']}" for each in left)
    found = [each for verdict in left for each in verdict.data["findings"]]
    return {"why": f"nobody has accepted {why}", "findings": found[:NAMED]}


def _is_open(verdict: Verdict) -> bool:
    return verdict.data["verdict"] == FAIL or _judgement(verdict.task, verdict.data).is_bad


def _newest_judgements(state: Graph, verdicts: Sequence[Verdict]) -> list[Judgement]:
    """The verdict of each judging task's newest version; a skipped one has none."""
    by_task = {each.task: each for each in verdicts}
    found = []
    for task in judging_tasks(state):
        verdict = by_task.get(newest_version(state, task.key).key)
        if verdict is not None:
            found.append(_judgement(task.key, verdict.data))
    return found


def _judgement(task: str, data: Mapping[str, Json]) -> Judgement:
    listed = data.get("open", [])
    findings = tuple(Finding.from_json(each) for each in listed)
    return Judgement(task, str(data["verdict"]), str(data.get("head", "")), findings)


def _before(state: Graph, tx: Tx, session: str) -> Before | None:
    """What the last fix round began with; None before the first, of the work that was added last."""
    rounds = _rounds(state)
    row = tasks.task(tx, session, rounds[-1].key) if rounds else None
    if row is None:
        return None
    fix = row.payload["fix"]
    given = fingerprints(Finding.from_json(each) for each in fix["findings"])
    return Before(frozenset(fix.get("found", given)), str(fix.get("head", "")))
