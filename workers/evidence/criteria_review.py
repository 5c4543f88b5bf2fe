"""What the requirements of a plan came to: each acceptance criterion by its evidence, each Must requirement by its tasks."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from types import MappingProxyType

from orchestrator.domain.dataclass import dataclass, replace
from orchestrator.domain.evidence import CRITICAL, HIGH, MEDIUM, Finding
from orchestrator.domain.json_types import Json, JsonObject
from orchestrator.domain.patterns import expression
from orchestrator.domain.plan import Criterion, Plan, PlanTask
from orchestrator.domain.plan_checks import REMOVE
from orchestrator.domain.text import keywords, overlap
from orchestrator.door.desk import Link
from workers.evidence.changed_files import Changes
from workers.evidence.judgement import HELD, NO_TEST, ONLY_CHANGE, SHOWN, not_found, not_mentioned
from workers.evidence.named_code import Mentions, code_names

MET, PARTIAL, UNMET = "met", "partial", "unmet"
LEFT_OUT = "skipped"  # a person has skipped the plan task
NOBODY: Mapping[str, str] = MappingProxyType({})
PARTIAL_SHARE = 0.4  # of a criterion's words, in the added lines
CHECK = "criteria"
REQUIREMENT_MISSING = "requirement_missing"
AS_BEFORE = "the tests that passed before, which still do"
_ASKS_FOR_AS_BEFORE = expression(  # that what passed before passes now: the runs over base and head tell
    r"\b(?:tests?|checks) that (?:pass(?:ed)?|succeed(?:ed)?) before\b"
    r"|\b(?:existing|previous(?:ly passing)?|earlier|current) tests "
    r"(?:(?:all )?(?:still|continue to) |(?:must|should) (?:still )?)?(?:pass|succeed)"
    r"|\bno (?:test )?regressions?\b|之前通过的(?:测试|检查)|(?:原有|已有|现有)测试.{0,6}通过",
    re.IGNORECASE,
)
BY_CHANGE = (
    "docs",
    REMOVE,
)  # kinds of plan tasks that a change shows: no test shows that something is not there any more


@dataclass(frozen=True, slots=True)
class CriterionReview:
    """Whether a criterion is met, and what says so."""

    id: str
    task: str  # the plan task
    text: str
    met: str
    by: str
    tests: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    is_proved: bool = False  # by a passing test; of documentation, by its change

    def as_json(self) -> JsonObject:
        return {
            "id": self.id,
            "plan_task": self.task,
            "text": self.text,
            "met": self.met,
            "by": self.by,
            "tests": list(self.tests),
            "files": list(self.files),
        }


def review_criteria(
    plan: Plan,
    records: Sequence[Mapping[str, Json]],
    links: Sequence[Link],
    changes: Changes,
    skipped: Mapping[str, str] = NOBODY,
) -> list[CriterionReview]:
    """Each criterion of the plan: met where a passing test shows it, else in part where its change has its words.

    `records`: the contents of qa/impl-*.json; `skipped`: plan tasks that a person has skipped, with who did. A link counts
    when a check verified it, and when it is of the run that carried the task out last: what showed a criterion as it was
    before shows nothing of it now.
    """
    tests: dict[str, list[str]] = {}
    last = {_task_of(link): link.run_id for link in links if link.from_kind in ("plan_task", "criterion")}
    for link in links:
        is_last = link.run_id == last.get(_task_of(link))
        if link.from_kind == "criterion" and link.to_kind == "test" and link.verified and is_last:
            tests.setdefault(link.from_id, []).append(link.to_id)
    files: dict[str, list[str]] = {}
    held: dict[str, list[str]] = {}
    unknown: dict[str, list[str]] = {}
    unmentioned: dict[str, list[str]] = {}
    mentions = Mentions(changes)
    for record in records:
        for each in _mappings(record.get("criteria")):
            if each.get("verified") == "change":
                files.setdefault(str(each.get("id")), []).extend(_claimed(each, "files"))
            unknown[str(each.get("id"))] = [str(name) for name in each.get("not_found") or ()]
            unmentioned[str(each.get("id"))] = [str(name) for name in each.get("not_mentioned") or ()]
            held[str(each.get("id"))] = _claimed(each, "tests") if each.get("verified") == "held" else []
    as_before = {str(each.get("plan_task")) for each in records if _has_kept_tests(each.get("tests"))}
    added = frozenset().union(*(keywords(line) for file in changes.files for _, line in file.added))
    words = added | frozenset().union(*(_parts(file.path) for file in changes.files))
    found = []
    for task in plan.tasks:
        for criterion in task.criteria:
            if who := skipped.get(task.id):
                by = f"{who} skipped {task.id}"
                found.append(CriterionReview(criterion.id, task.id, criterion.text, LEFT_OUT, by))
                continue
            shown = tuple(dict.fromkeys(tests.get(criterion.id, ())))
            changed = tuple(dict.fromkeys(files.get(criterion.id, ())))
            reviewed = _reviewed(task, criterion, shown, changed, words)
            if reviewed.met != MET and (passing := held.get(criterion.id)):
                reviewed = replace(reviewed, by=f"{HELD} ({', '.join(passing[:SHOWN])})")
            if reviewed.met != MET and _ASKS_FOR_AS_BEFORE.search(criterion.text) and task.id in as_before:
                reviewed = replace(reviewed, met=MET, by=AS_BEFORE, is_proved=True)
            names = code_names(criterion.text)
            if reviewed.met == PARTIAL and names and not mentions.added(names):
                reviewed = replace(reviewed, met=UNMET)  # what it names was not written
            why = not_found(unknown.get(criterion.id, ())) + not_mentioned(unmentioned.get(criterion.id, ()))
            by = reviewed.by + (why if reviewed.met != MET else not_found(unknown.get(criterion.id, ())))
            found.append(replace(reviewed, by=by))
    return found


def _has_kept_tests(tests: Json) -> bool:
    """Whether tests passed before a change, and all of them pass after it, by the summary in its record."""
    return (
        isinstance(tests, dict)
        and bool(tests.get("baseline"))
        and tests.get("unverified") is None
        and not (tests.get("regressions") or tests.get("missing") or tests.get("fewer"))
        and tests.get("passed") is not None
    )


def _task_of(link: Link) -> str:
    return link.from_id.partition("-C")[0]


def criteria_findings(criteria: Iterable[CriterionReview], untested: str = "") -> list[Finding]:
    """A high finding for each criterion that nothing shows, and a medium one for each that no test shows.

    One of a task that a person has skipped is medium: that is decided. `untested`: why no tests could be run, if none could.
    """
    found = []
    for each in criteria:
        if each.met == LEFT_OUT:
            text = f"{each.id} is not met, since {each.by}: {each.text}"
            found.append(Finding(CHECK, MEDIUM, "criterion_skipped", text))
            continue
        if each.met == UNMET:
            told = (
                f"is shown only by {each.by}"
                if each.by.startswith(HELD)
                else f"is not met, and shown by {each.by}"
            )
            text = f"{each.id} {told}: {each.text}"
            found.append(Finding(CHECK, HIGH, "criterion_unmet", text, fix="do it, and test it"))
        elif not each.is_proved:
            why = f" (no tests could be run: {untested})" if untested else ""
            text = f"{each.id} is shown by {each.by}{why}: {each.text}"
            found.append(Finding(CHECK, MEDIUM, "criterion_unproved", text, fix="test it"))
    return found


def uncovered_requirements(
    plan: Plan,
    must: Mapping[str, str],
    criteria: Sequence[CriterionReview],
    landed: Collection[str],
    skipped: Mapping[str, str] = NOBODY,
) -> list[Finding]:
    """A critical finding for each Must requirement (id -> words) with neither a change nor a test, unless the plan says why.

    One whose tasks have changed something, and that no criterion is about, is medium: nothing tells whether it is done.
    So is one of whose tasks a person has skipped one. `landed`, `skipped`: those tasks, and by whom.
    """
    excused = {each.id for each in plan.uncovered if each.reason}
    shown = {each.id for each in criteria if each.tests}
    found = []
    for id, words in must.items():
        tasks = [task for task in plan.tasks if id in task.cited]
        own = [criterion.id for task in tasks for criterion in task.criteria_of(id)]
        if id in excused or shown.intersection(own):
            continue
        if any(task.id in landed for task in tasks):
            if not own:
                text = f"{id} is required, and no criterion of the plan tells whether it is done: {words}"
                found.append(Finding(CHECK, MEDIUM, "requirement_unproved", text, fix="test it"))
            continue
        if left := next((task.id for task in tasks if task.id in skipped), None):
            text = f"{id} is required, and {skipped[left]} skipped {left}: {words}"
            found.append(Finding(CHECK, MEDIUM, "requirement_skipped", text))
            continue
        text = f"{id} is required, and neither a change nor a test carries it: {words}"
        found.append(Finding(CHECK, CRITICAL, REQUIREMENT_MISSING, text, fix="carry it out, and test it"))
    return found


def _reviewed(
    plan_task: PlanTask,
    criterion: Criterion,
    tests: tuple[str, ...],
    files: tuple[str, ...],
    words: frozenset[str],
) -> CriterionReview:
    task = plan_task.id
    if tests:
        return CriterionReview(criterion.id, task, criterion.text, MET, "a passing test", tests, files, True)
    if files and plan_task.kind in BY_CHANGE:
        return CriterionReview(criterion.id, task, criterion.text, MET, "a change", (), files, True)
    if files:
        return CriterionReview(criterion.id, task, criterion.text, PARTIAL, ONLY_CHANGE, (), files)
    share = overlap(criterion.text, words)
    by = f"{NO_TEST}, only by {share:.0%} of its words in the added lines" if share else NO_TEST
    met = PARTIAL if share >= PARTIAL_SHARE else UNMET
    return CriterionReview(criterion.id, task, criterion.text, met, by)


def _parts(path: str) -> frozenset[str]:
    return keywords(path.replace("/", " ").replace("_", " ").replace(".", " "))


def _claimed(criterion: Mapping[str, Json], what: str) -> list[str]:
    claimed = criterion.get("claimed")
    names = claimed.get(what) if isinstance(claimed, dict) else None
    return [str(each) for each in names] if isinstance(names, list) else []


def _mappings(value: Json) -> list[JsonObject]:
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []
