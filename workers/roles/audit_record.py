"""The record and the page of an audit of the frontend."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from orchestrator.domain.dataclass import dataclass
from orchestrator.domain.evidence import SEVERITIES, Finding
from orchestrator.domain.frontend_audit import WEIGHTS, Scores
from orchestrator.domain.json_types import Json, JsonObject
from orchestrator.domain.review_verdicts import counted
from workers.context.run_context import RunContext
from workers.context.written_documents import stamp
from workers.documents.frame import to_json
from workers.documents.page import Printer
from workers.evidence.agent_findings import Noted
from workers.evidence.browser_check import BaseSeen, Browsed
from workers.evidence.frontend_rules import Answered
from workers.landing.design_tokens import DesignTokens

SCHEMA = 1
SHOWN = 100  # findings on the page; the record has all


@dataclass(frozen=True, slots=True)
class Audited:
    """What an audit came to."""

    number: int
    verdict: str
    scores: Scores
    base: str
    head: str
    findings: tuple[Finding, ...]
    notes: tuple[Noted, ...]
    answered: tuple[Answered, ...]
    files: tuple[str, ...]
    tokens: DesignTokens
    browsed: Browsed
    agents: tuple[str, ...]
    without: str  # why no agent took part; empty: one did, or there was nothing to ask about

    def verdict_data(self, record: str) -> JsonObject:
        """What is kept of it in the database."""
        return {
            "audit": "frontend",
            "verdict": self.verdict,
            "round": self.number,
            "head": self.head,
            "overall": self.scores.overall,
            "scores": dict(self.scores.by_dimension),
            "browser": self.browsed.as_json(),
            "findings": [each.as_json() for each in self.findings],
            "open": [],  # it has rounds of its own (lifecycle/audit_rounds.py)
            "record": record,
        }


def record_path(task: str, number: int) -> str:
    return f"qa/audit-fe-{task}-r{number}.json"


def base_seen_before(context: RunContext) -> BaseSeen | None:
    """What the browser of an earlier audit saw of the base, by the newest record; None where none has looked."""
    found = [
        row
        for path, row in context.artifacts.items()
        if path.startswith("qa/audit-fe-") and path.endswith(".json")
    ]
    for row in sorted(found, key=lambda each: each.created_at, reverse=True):
        record = context.json(row.path)
        if isinstance(record, dict) and record.get("base_seen"):
            return BaseSeen.from_json(record["base_seen"])
    return None


def audit_files(context: RunContext, audited: Audited) -> dict[str, tuple[bytes, str]]:
    """The record, the page and the screenshots, by path."""
    row = context.row
    path = record_path(row.key, audited.number)
    dont = {each.check: each.dont for each in audited.answered}
    found = {each.check: len(each.findings) for each in audited.answered}
    record: JsonObject = {
        "schema": SCHEMA,
        "session": row.session_id,
        "task": row.key,
        "run": row.run,
        "generated_at": stamp(row.opened_at),
        "round": audited.number,
        "subject": {"base": audited.base, "head": audited.head, "files": list(audited.files)},
        "verdict": audited.verdict,
        "overall": audited.scores.overall,
        "scores": dict(audited.scores.by_dimension),
        "weights": dict(WEIGHTS),
        "findings": [
            {**each.as_json(), "do": each.fix, "dont": dont.get(each.rule, "")} for each in audited.findings
        ],
        "notes": [{**each.finding.as_json(), "why": each.why} for each in audited.notes],
        "checks": [
            {
                "id": each.check,
                "looked_at": each.looked_at,
                "found": found[each.check],
                "why_not": each.why_not or None,
            }
            for each in audited.answered
        ],
        "tokens": {"source": audited.tokens.source or None, "file": audited.tokens.file or None},
        "browser": audited.browsed.as_json(),
        "base_seen": audited.browsed.base.as_json() if audited.browsed.base else None,
        "agents": list(audited.agents),
        "without_agent": audited.without or None,
    }
    page = path.removesuffix(".json") + ".md"
    files = {path: (to_json(record), "evidence"), page: (_page(context, page, audited, record), "report")}
    return {**files, **{name: (body, "evidence") for name, body in audited.browsed.screens.items()}}


def _page(context: RunContext, path: str, audited: Audited, record: Mapping[str, Json]) -> bytes:
    """The audit for people, in the session's language."""
    row = context.row
    newest = context.artifacts.get(path)
    front: JsonObject = {
        "session_id": row.session_id,
        "phase": row.phase,
        "document_type": "frontend_audit",
        "status": "complete",
        "generated_at": record["generated_at"],
        "version": (newest.version if newest else 0) + 1,
        "dependencies": [],
        "author": ", ".join(audited.agents) or "rules",
        "task": row.key,
    }
    shown: Sequence[JsonObject] = record["findings"][:SHOWN]
    groups = [
        {"severity": severity, "findings": [each for each in shown if each["severity"] == severity]}
        for severity in SEVERITIES
    ]
    doc = {
        **record,
        "short": {name: str(record["subject"][name])[:12] for name in ("base", "head")},
        "counts": counted(audited.findings),
        "groups": [group for group in groups if group["findings"]],
        "hidden": max(0, len(record["findings"]) - SHOWN),
        "pairs": audited.browsed.pairs(),
    }
    return Printer(context.session.language).page(path, "frontend_audit.md.j2", front, doc=doc)
