"""The tests and the review of a session's code, as people see them."""

from __future__ import annotations

from collections.abc import Sequence

from orchestrator.domain import frontend_audit
from orchestrator.domain.agent_kinds import by_rules
from orchestrator.domain.evidence import Finding
from orchestrator.domain.json_types import JsonObject
from orchestrator.domain.review_verdicts import counted
from orchestrator.store import records
from orchestrator.store.store import Tx
from orchestrator.views.lookup import named

KIND = "review"
TESTS = "test"
FIX_REQUIRED = "FIX_REQUIRED"


def newest(tx: Tx, session: str) -> JsonObject | None:
    """The newest verdict on the session's code; None before there is one."""
    verdicts = records.verdicts_of(tx, session)
    found = [each for each in verdicts if each.kind == KIND and not frontend_audit.is_audit(each.data)]
    if not found:
        return None
    last = found[-1]
    findings = [Finding.from_json(each) for each in last.data["findings"]]
    return {
        "task": last.task,
        "verdict": last.data["verdict"],
        "by_rules": by_rules(last.data["agents"]) if "agents" in last.data else None,
        "findings": counted(findings),
        "must": _must(last.data.get("criteria", [])),
        "subject": last.data["subject"],
        "record": f"qa/review-{last.task}.json",
        "page": f"qa/review-{last.task}.md",
    }


def _must(criteria: Sequence[JsonObject]) -> JsonObject:
    """How many criteria of what must be done there are, and those that are not met."""
    unmet = [{"id": each["id"], "text": each["text"]} for each in criteria if each["met"] == "unmet"]
    return {"criteria": len(criteria), "unmet": unmet}


def unmet(tx: Tx, session: str) -> list[JsonObject]:
    """The criteria of what must be done that the newest review found unmet."""
    review = newest(tx, session)
    return [] if review is None else list(review["must"]["unmet"])


def newest_audit(tx: Tx, session: str) -> JsonObject | None:
    """The newest audit of the session's frontend; None before there is one."""
    verdicts = records.verdicts_of(tx, session)
    found = [each for each in verdicts if each.kind == KIND and frontend_audit.is_audit(each.data)]
    if not found:
        return None
    last = found[-1]
    record = str(last.data["record"])
    return {
        "task": last.task,
        "verdict": last.data["verdict"],
        "round": last.data["round"],
        "overall": last.data["overall"],
        "scores": last.data["scores"],
        "findings": counted([Finding.from_json(each) for each in last.data["findings"]]),
        "browser": last.data["browser"],
        "head": last.data["head"],
        "record": record,
        "page": record.removesuffix(".json") + ".md",
    }


def newest_tests(tx: Tx, session: str) -> JsonObject | None:
    """The newest verdict of the tests, with the reason where they tell nothing; None before there is one."""
    found = [each for each in records.verdicts_of(tx, session) if each.kind == TESTS]
    if not found:
        return None
    last = found[-1]
    return {
        "task": last.task,
        "verdict": last.data["verdict"],
        "passed": last.data.get("passed"),
        "failed": last.data.get("failed"),
        "preexisting": last.data.get("preexisting"),
        "why": last.data.get("why"),
        "head": last.data["head"],
        "record": f"qa/test-{last.task}.json",
    }


def unproved(tx: Tx, session: str) -> str | None:
    """Why the session's code is not known to work: `faulty`, or tests that tell nothing; else None."""
    tests = newest_tests(tx, session)
    if tests is None:
        return "its tests were not run as a whole"
    if tests["verdict"] not in ("PASS", FIX_REQUIRED):
        return _of_tests(tests)
    return faulty(tx, session)


def faulty(tx: Tx, session: str) -> str | None:
    """Why the session's code is known not to work: failing tests, a review that blocks, an audit that fails; else None."""
    tests, review, audit = newest_tests(tx, session), newest(tx, session), newest_audit(tx, session)
    if tests is not None and tests["verdict"] == FIX_REQUIRED:
        return _of_tests(tests)
    if review is not None and review["verdict"] == "BLOCK":
        return f"its review blocks it: {review['page']}"
    if audit is not None and audit["verdict"] == frontend_audit.FAIL:
        return f"the audit of its frontend fails: {audit['page']}"
    return None


def report_command(tx: Tx, session: str) -> str:
    """The command that prints the newest review, or lists the reports where there was none."""
    review = newest(tx, session)
    page = f" {review['page']} --print" if review is not None else ""
    return f"lifecycle artifacts{page}{named(tx, session)}"


def _of_tests(tests: JsonObject) -> str:
    return f"its tests are {tests['verdict']}" + (f": {tests['why']}" if tests["why"] else "")
