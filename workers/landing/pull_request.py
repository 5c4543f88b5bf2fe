"""The text of a pull request for what has landed: what, why, the evidence, what is open, how to undo (qa/pull-request.md)."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from orchestrator.domain.evidence import CRITICAL, HIGH, MEDIUM, Finding
from orchestrator.domain.json_types import Json, JsonObject
from orchestrator.domain.plan import Plan
from orchestrator.domain.review_verdicts import counted
from workers.context.run_context import RunContext
from workers.context.written_documents import known_of
from workers.documents.escape import code, heading, inline
from workers.documents.identifiers import items_of
from workers.evidence.judgement import NO_TEST, ONLY_CHANGE, not_found, not_mentioned

PATH = "qa/pull-request.md"
RECORDS = "qa/impl-"
SHOWN = 100  # rows of a list
MOST_OF_REVIEW = 20  # findings
UNMET_RULE = "criterion_unmet"  # of a finding of the review, which begins with the criterion's id
REVIEW, OPEN = "## Review", "## Open"
SHOWS = {  # how a criterion is shown, and what was claimed of it that shows it
    "test": ("test", "tests"),
    "change": (ONLY_CHANGE, "files"),
    "held": ("test that passes without the change, too", "tests"),
}
WORTH_TELLING = (CRITICAL, HIGH, MEDIUM)


def pull_request(context: RunContext, plan: Plan, base: str | None, newest: JsonObject) -> bytes:
    """The Markdown of everything that has landed so far; `newest`: the record of the change that lands now.

    `base`: what its commits build on, None where commits of the user's are among them.
    """
    records = [*_landed(context, str(newest["task"])), newest]
    lines = [f"# {heading(context.session.title)}", ""]
    if plan.summary:
        lines += [str(inline(plan.summary)), ""]
    lines += ["## What changes", "", *_changes(records)]
    lines += ["", "## Why", "", *_reasons(context, plan)]
    lines += ["", "## Evidence", "", *_evidence(records)]
    lines += ["", OPEN, "", *(_open(records) or ["Nothing that is known."])]
    if plan.risks:
        lines += ["", "## Risks", "", *(f"- {inline(risk)}" for risk in plan.risks[:SHOWN])]
    lines += ["", "## How to undo", "", *_undo(context, base, records)]
    return ("\n".join(lines) + "\n").encode("utf-8", "replace")


def with_review(page: str, task: str, verdict: str, findings: Sequence[Finding]) -> bytes:
    """The page as it is now, with what the newest review found, before what is open.

    What it says of a criterion is not said again with the severity that it had before the review.
    """
    worst = [each for each in findings if each.severity in (CRITICAL, HIGH)]
    numbers = ", ".join(f"{number} {severity}" for severity, number in counted(findings).items())
    lines = [REVIEW, "", f"**{verdict}** ({code(f'qa/review-{task}.md')}): {numbers or 'no findings'}.", ""]
    for each in worst[:MOST_OF_REVIEW]:
        lines.append(
            f"- {each.severity}: {inline(each.text)} {code(each.place) if each.place else ''}".rstrip()
        )
    if len(worst) > MOST_OF_REVIEW:
        lines.append(f"- and {len(worst) - MOST_OF_REVIEW} more")
    told = tuple(
        f"- {MEDIUM}: {inline(each.text.partition(' ')[0])} is shown by "
        for each in worst
        if each.rule == UNMET_RULE
    )
    kept: list[str] = []
    is_ours = False
    for line in page.split("\n"):
        if told and line.startswith(told):
            continue
        if line.startswith("## "):
            is_ours = line == REVIEW
            if line == OPEN:
                kept += [*lines, *([] if lines[-1] == "" else [""])]
        if not is_ours:
            kept.append(line)
    return "\n".join(kept).encode("utf-8", "replace")


def _landed(context: RunContext, but: str) -> list[JsonObject]:
    """The records of what has landed before, by task; of other lanes also since this run began."""
    session = context.row.session_id
    since = {f"{RECORDS}{each.task}.json" for each in context.desk.landed(session) if each.task}
    since -= context.artifacts.keys()
    read = {path: context.json(path) for path in context.artifacts if path.startswith(RECORDS)}
    for path in since:
        if path != f"{RECORDS}{but}.json" and (text := context.desk.newest_text(session, path)) is not None:
            read[path] = json.loads(text)
    found = [read[path] for path in sorted(read)]
    return [record for record in found if record["task"] != but and record["commit"]]


def _changes(records: Sequence[Mapping[str, Json]]) -> list[str]:
    lines = []
    for record in records:
        files = record["files"]
        commit = str(record["commit"] or "")[:12]
        number = f"{len(files)} file{'' if len(files) == 1 else 's'}"
        done = f"{number}, {code(commit)}" if commit else "no change was needed"
        lines.append(f"- {inline(record['task'])}: {inline(record['summary'])} ({done})")
        if resolved := record.get("resolved"):
            where = ", ".join(code(path) for path in resolved[:5])
            lines.append(f"  - resolved a conflict with what had landed meanwhile in {where}")
        lines += [f"  - {code(each['path'])} {inline(each['status'])}" for each in files[:SHOWN]]
        if len(files) > SHOWN:
            lines.append(f"  - and {len(files) - SHOWN} more")
    return lines


def _reasons(context: RunContext, plan: Plan) -> list[str]:
    """The items that the plan's tasks refer to, with their titles where the session wrote them."""
    known = known_of(context, context.pack.documents).values()
    titles = {item.id: getattr(item, "title", "") for each in known for item in items_of(each.content)}
    named = list(dict.fromkeys(ref for task in plan.tasks for ref in task.refs))
    lines = [f"- {inline(ref)}: {inline(titles.get(ref, ''))}".rstrip(": ") for ref in named[:SHOWN]]
    lines += [f"- not covered: {inline(each.id)}: {inline(each.reason)}" for each in plan.uncovered[:SHOWN]]
    return lines or [str(inline(context.session.request[:2_000]))]


def _evidence(records: Sequence[Mapping[str, Json]]) -> list[str]:
    lines = [
        "| task | tests | passed | failed | regressions | new | fail without the change |",
        "| --- | --- | ---: | ---: | ---: | ---: | --- |",
    ]
    for record in records:
        tests = record["tests"] or {}
        bites = {True: "yes", False: "no", None: "–"}[tests.get("bites")]
        cells = [
            inline(record["task"]),
            inline(tests.get("runner") or "none"),
            *(str(tests.get(name) if tests.get(name) is not None else "–") for name in ("passed", "failed")),
            str(len(tests.get("regressions") or ())),
            str(len(tests.get("new") or ())),
            bites,
        ]
        lines.append("| " + " | ".join(cells) + " |")
    lines += ["", "| criterion | shown by |", "| --- | --- |"]
    for record in records:
        for each in record["criteria"][:SHOWN]:
            how, claimed = SHOWS.get(each["verified"], (NO_TEST, ""))
            by = each["claimed"][claimed] if claimed else []
            shown = f"{how}: {', '.join(code(name) for name in by[:5])}" if by else how
            why = not_found(each.get("not_found") or ()) + not_mentioned(each.get("not_mentioned") or ())
            lines.append(f"| {inline(each['id'])} | {shown}{inline(why)} |")
    return lines


def _open(records: Sequence[Mapping[str, Json]]) -> list[str]:
    lines = [
        f"- {inline(record['task'])} is unverified: {inline(record['unverified'])}"
        for record in records
        if record["unverified"]
    ]
    for record in records:
        lines += [
            f"- {inline(each['severity'])}: {inline(each['text'])} {code(each['path']) if each['path'] else ''}".rstrip()
            for each in record["findings"]
            if each["severity"] in WORTH_TELLING
        ]
    return lines[:SHOWN]


def _undo(context: RunContext, base: str | None, records: Sequence[Mapping[str, Json]]) -> list[str]:
    commits = [str(record["commit"]) for record in records if record["commit"]]
    branch = f"lifecycle/{context.session.id}"
    lines = [f"Before it is merged: delete the branch {code(branch)}; nothing else was touched."]
    if commits:
        whole = f"After a merge: {code('git revert -m 1 MERGE')}"
        each = "" if base is None else code(f"git revert --no-commit {base[:12]}..{commits[-1][:12]}")
        lines.append(f"{whole}, or {each} for single commits." if each else f"{whole}.")
    return lines
