"""The record and the page of a code review, and what it reads of earlier records."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

from orchestrator.domain.agent_kinds import RULES
from orchestrator.domain.dataclass import dataclass, field
from orchestrator.domain.evidence import SEVERITIES, Finding
from orchestrator.domain.json_types import Json, JsonObject
from orchestrator.domain.model import TaskStatus
from orchestrator.domain.patterns import expression
from orchestrator.domain.plan import Plan, PlanTask
from orchestrator.domain.plan_marks import PLAN_TASK
from orchestrator.domain.review_verdicts import DIMENSIONS, counted, dimension_of
from orchestrator.lifecycle.fix_rounds import fingerprint
from workers.context.run_context import RunContext
from workers.context.written_documents import known_of, stamp
from workers.documents.content import Requirements
from workers.documents.frame import to_json
from workers.documents.page import Printer
from workers.evidence.agent_findings import Noted
from workers.evidence.changed_files import Changes
from workers.evidence.criteria_review import CriterionReview
from workers.git.session_work import SessionWork

SCHEMA = 1
AGENT = "agent"  # who has read a file, where it is not the rules alone
ALIKE = 2  # findings of one rule in one file that the page shows in full
SHOWN = 100  # findings on the page; the record has all
_IMPL = expression(r"qa/impl-[\w.-]+\.json")
_TEST = expression(r"qa/test-[\w.-]+\.json")


@dataclass(frozen=True, slots=True)
class Reviewed:
    """What a review came to."""

    verdict: str
    base: str
    since: str
    head: str
    findings: tuple[Finding, ...]
    notes: tuple[Noted, ...]
    criteria: tuple[CriterionReview, ...]
    said: Mapping[str, Sequence[str]]
    agents: tuple[str, ...]
    without: str  # why no agent took part; empty: one did


@dataclass(frozen=True, slots=True)
class Reviewing:
    """What was reviewed, and by whom."""

    context: RunContext
    work: SessionWork
    plan: Plan
    changes: Changes
    read: Collection[str]  # by an agent
    left_out: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Before:
    """The review before this one of the same task; empty for the first."""

    head: str = ""
    ids: Mapping[str, str] = field(default_factory=dict)  # fingerprint -> id
    open_of_agents: Mapping[str, Finding] = field(default_factory=dict)  # by id
    read: frozenset[str] = frozenset()  # files that an agent had read


def previous_review(context: RunContext) -> Before:
    """The newest review before this one, by its record."""
    row = context.row
    if row.revision_of is None:
        return Before()
    names = [f"{row.revision_of}-R{n}" for n in range(row.revision_no - 1, 0, -1)]
    for name in (*names, row.revision_of):
        record = context.json(f"qa/review-{name}.json")
        if isinstance(record, dict):
            listed = [(str(each["id"]), Finding.from_json(each)) for each in record["findings"]]
            return Before(
                str(record["subject"]["head"]),
                {fingerprint(finding): id for id, finding in listed},
                {id: finding for id, finding in listed if finding.source == "agent"},
                frozenset(each["path"] for each in record["files"] if each["read_by"] == AGENT),
            )
    return Before()


def counted_files(number: int) -> str:
    return f"{number} file" if number == 1 else f"{number} files"


def records_of(context: RunContext) -> list[JsonObject]:
    """The records of what has landed, qa/impl-*.json."""
    found = (context.json(path) for path in sorted(context.artifacts) if _IMPL.fullmatch(path))
    return [each for each in found if isinstance(each, dict)]


def skipped_tasks(context: RunContext) -> dict[str, str]:
    """The plan tasks that a person has let the session go on without, each with who did."""
    rows = context.desk.tasks(context.row.session_id)
    newest = {str(row.payload[PLAN_TASK]): row for row in rows if PLAN_TASK in row.payload}
    by = {each.subject: each.who for each in context.decisions}
    return {
        task: by[f"skip {row.key}"]
        for task, row in newest.items()
        if row.status == TaskStatus.SKIPPED and f"skip {row.key}" in by
    }


def must_requirements(context: RunContext) -> dict[str, str]:
    """The Must requirements of the session's specification by id."""
    return {id: text for id, (text, moscow) in _requirements(context).items() if moscow == "Must"}


def _requirements(context: RunContext) -> dict[str, tuple[str, str]]:
    known = known_of(context, context.pack.documents)
    return {
        item.id: (item.statement, item.moscow)
        for each in known.values()
        if isinstance(each.content, Requirements)
        for item in each.content.items
    }


def tasks_of(context: RunContext, plan: Plan, paths: Collection[str]) -> list[PlanTask]:
    """The plan tasks that name one of these files, or whose change has touched one."""
    touched = {
        str(record.get("plan_task"))
        for record in records_of(context)
        if any(str(each.get("path")) in paths for each in record.get("files", []))
    }
    return [
        task for task in plan.tasks if task.id in touched or any(each.path in paths for each in task.files)
    ]


def texts_of(context: RunContext, tasks: Sequence[PlanTask]) -> list[str]:
    """The requirements that these tasks refer to, in their own words."""
    cited = {name for task in tasks for name in task.cited}
    return [f"{id}: {text}" for id, (text, _) in _requirements(context).items() if id in cited]


def criteria_of(context: RunContext, tasks: Sequence[PlanTask]) -> list[JsonObject]:
    """What the records say of the criteria of these tasks."""
    ids = {criterion.id for task in tasks for criterion in task.criteria}
    return [
        {"id": each["id"], "verified": each["verified"], "tests": each["claimed"]["tests"]}
        for record in records_of(context)
        for each in record.get("criteria", [])
        if each.get("id") in ids
    ]


def review_files(
    reviewing: Reviewing, reviewed: Reviewed, before: Before
) -> tuple[dict[str, tuple[bytes, str]], list[JsonObject]]:
    """The record and the page by path, and the findings as the record lists them."""
    context = reviewing.context
    row = context.row
    listed = _listed(reviewing, reviewed.findings, before)
    read = {*reviewing.read, *(before.read - reviewing.left_out.keys())}
    record: JsonObject = {
        "schema": SCHEMA,
        "session": row.session_id,
        "task": row.key,
        "run": row.run,
        "generated_at": stamp(row.opened_at),
        "subject": {
            "base": reviewed.base,
            "since": reviewed.since,
            "head": reviewed.head,
            "tree": reviewing.work.private.tree_of(reviewed.head),
            "files": len(reviewing.changes.files),
            "added_lines": sum(len(file.added) for file in reviewing.changes.files),
        },
        "verdict": reviewed.verdict,
        "agents": list(reviewed.agents),
        "without_agent": reviewed.without or None,
        "findings": listed,
        "notes": [{**each.finding.as_json(), "why": each.why} for each in reviewed.notes],
        "criteria": [each.as_json() for each in reviewed.criteria],
        "dimensions": {name: list(reviewed.said.get(name, ())) for name in DIMENSIONS},
        "files": [
            {
                "path": file.path,
                "status": file.status,
                "read_by": AGENT if file.path in read else RULES,
                "why_not": reviewing.left_out.get(file.path),
            }
            for file in reviewing.changes.files
        ],
        "tests": tests_of(context),
    }
    page = _page(reviewing, reviewed, record)
    return {
        f"qa/review-{row.key}.json": (to_json(record), "evidence"),
        f"qa/review-{row.key}.md": (page, "document"),
    }, listed


def _newest_tests(context: RunContext) -> tuple[str, Json]:
    paths = [path for path in context.artifacts if _TEST.fullmatch(path)]
    newest = max(paths, key=lambda path: context.artifacts[path].created_at, default="")
    return newest, context.json(newest) if newest else None


def test_findings(context: RunContext) -> list[Finding]:
    """The findings of the newest test round."""
    _, record = _newest_tests(context)
    return [Finding.from_json(each) for each in record["findings"]] if isinstance(record, dict) else []


def tests_of(context: RunContext) -> JsonObject | None:
    """What the newest test round came to; None before there is one."""
    newest, record = _newest_tests(context)
    if not isinstance(record, dict):
        return None
    kept = (
        "verdict",
        "why",
        "passed",
        "failed",
        "skipped",
        "fewer",
        "regressions",
        "preexisting",
        "confined",
        "unverified",
    )
    return {"record": newest, **{name: record.get(name) for name in kept}}


def _listed(reviewing: Reviewing, findings: Iterable[Finding], before: Before) -> list[JsonObject]:
    """The findings as JSON with ids: that of the review before where it had the finding already."""
    owners = {
        str(file.get("path")): str(record.get("task"))
        for record in records_of(reviewing.context)
        for file in record.get("files", [])
    }
    taken = set(before.ids.values())
    found = []
    number = 0
    for each in findings:
        id = before.ids.get(fingerprint(each))
        while id is None:
            number += 1
            name = f"{reviewing.context.row.key}-F{number}"
            id = None if name in taken else name
        found.append(
            {
                "id": id,
                "dimension": dimension_of(each.check),
                **each.as_json(),
                "verified": True,
                "task": owners.get(each.path),
            }
        )
    return found


def _condensed(findings: Sequence[JsonObject]) -> list[JsonObject]:
    """The findings as the page shows them: from the third of one rule in one file on, only their lines, or words."""
    shown: list[JsonObject] = []
    for each in findings:
        said = each["text"].removeprefix(f"{each['path']} ") if each["path"] else each["text"]
        same = [
            other
            for other in shown
            if (other["rule"], other["path"], other["severity"])
            == (each["rule"], each["path"], each["severity"])
        ]
        if len(same) >= ALIKE and each["path"]:
            same[-1]["lines" if each["line"] else "more"].append(each["line"] or said)
        elif len(shown) < SHOWN:
            shown.append({**each, "said": said, "lines": [], "more": []})
    return shown


def _page(reviewing: Reviewing, reviewed: Reviewed, record: Mapping[str, Json]) -> bytes:
    """The review for people, in the session's language."""
    context = reviewing.context
    row = context.row
    path = f"qa/review-{row.key}.md"
    newest = context.artifacts.get(path)
    agent = ", ".join(reviewed.agents) or RULES
    front: JsonObject = {
        "session_id": row.session_id,
        "phase": row.phase,
        "document_type": "code_review",
        "status": "complete",
        "generated_at": record["generated_at"],
        "version": (newest.version if newest else 0) + 1,
        "dependencies": [],
        "author": agent,
        "task": row.key,
    }
    shown = _condensed(record["findings"])
    groups = [
        {"severity": severity, "findings": [each for each in shown if each["severity"] == severity]}
        for severity in SEVERITIES
    ]
    doc = {
        **record,
        "short": {name: str(record["subject"][name])[:12] for name in ("base", "since", "head")},
        "counts": counted(reviewed.findings),
        "groups": [group for group in groups if group["findings"]],
        "hidden": max(
            0, len(record["findings"]) - sum(1 + len(each["lines"]) + len(each["more"]) for each in shown)
        ),
        "unread": [each for each in record["files"] if each["why_not"]],
        "has_said": any(reviewed.said.values()),
        "is_delta": reviewed.since != reviewed.base,
    }
    return Printer(context.session.language).page(path, "code_review.md.j2", front, doc=doc)
