"""The supervisor: whether documents agree with each other, and the plan with what it is made from (SUPERVISE).

Rules come first and say where they found what; one question to an agent is about meaning, and counts only where both
sides of a contradiction are found in the files. It edits nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from orchestrator.domain import ids
from orchestrator.domain.agent_kinds import RULES
from orchestrator.domain.json_types import JsonObject
from orchestrator.domain.plan import PLAN, Plan
from orchestrator.domain.plan_checks import GROUND, Ground
from orchestrator.domain.supervision import (
    BLOCK,
    FAIL,
    FOLDER,
    PASS,
    WARN,
    Check,
    Evidence,
    mean_of,
    risks_of,
    verdict_of,
)
from workers.agents import prompts
from workers.context.agent_calls import AgentCalls
from workers.context.analyses import stamped
from workers.context.opinions import opinion
from workers.context.planned import current_plan
from workers.context.run_context import RunContext
from workers.context.sources import sources
from workers.context.written_documents import known_of
from workers.documents.advice_content import ConsistencyContent, Contradiction, Side
from workers.documents.condensed import compact
from workers.documents.frame import to_json
from workers.documents.lint import read_specification
from workers.documents.lint.rules import short
from workers.documents.lint.specification import Sources
from workers.documents.page import Printer
from workers.explore.root import Root
from workers.roles import Produced
from workers.roles.drafting import discovery_of
from workers.roles.supervision_checks import Supervised, checks_by_rule

KIND = "supervision"
GOAL = (
    "Say where the documents that you are given cannot all hold: what one says and another one denies, figures that differ, "
    "a decision that rules out what is required, a plan that does something else than the specification asks for. Copy the "
    "words of both places exactly, each with the path of its file: what is not found on both sides is thrown away. "
    "What is only missing, unclear or a matter of taste is none. No contradiction is a good answer."
)


def produce(context: RunContext, calls: AgentCalls) -> Produced:
    """The record and the page of one supervision. Raises BudgetReached, CassetteUnusable."""
    plan = current_plan(context) if _is_of_plan(context) else None
    given = _supervised(context, plan)
    found = checks_by_rule(given)
    context.check()
    meant, agent = _meaning(context, calls, plan)
    found += [meant] if meant else []
    verdict, mean = verdict_of(found), round(mean_of(found), 3)
    number = int(ids.parse_key(context.row.key).base[-3:])
    record: JsonObject = {
        **stamped(context, "supervision"),
        "compares": str(context.payload.get("compares", "")),
        "verdict": verdict,
        "mean": mean,
        "checks": [each.as_json() for each in found],
        "agent": agent,
    }
    path = f"{FOLDER}{number}.json"
    risks = risks_of(found)
    failed = [each for each in found if each.result == FAIL]
    return Produced(
        files={
            path: (to_json(record), "evidence"),
            f"{FOLDER}{number}.md": (
                supervision_page(context.session.language, context.session.title, record),
                "report",
            ),
        },
        artifact=path,
        summary=f"{verdict} with a mean of {mean:.2f}: {_counted(found)}",
        message_type="supervision_report",
        agent=agent,
        wisdom=[("issues", f"{context.row.key}: {risk}") for risk in risks],
        shared={"verdict": verdict, "mean": mean},
        blocked=_blocked(mean, failed) if verdict == BLOCK else None,
    )


def supervision_page(language: str, title: str, record: JsonObject) -> bytes:
    """What was checked with which result, for people."""
    front = {
        "session_id": record["session"],
        "document_type": record["schema"],
        "generated_at": record["generated_at"],
        "version": 1,
        "author": record["agent"],
        "task": record["task"],
    }
    path = f"{FOLDER}page.md"
    return Printer(language).page(path, "supervision.md.j2", front, name=title, record=record)


def _blocked(mean: float, failed: Sequence[Check]) -> JsonObject:
    """What a person is shown: each check that failed, with its evidence."""
    return {
        "mean": mean,
        "failures": [
            {"check": each.name, "says": each.said, "evidence": [str(one) for one in each.evidence[:3]]}
            for each in failed
        ],
    }


def _counted(found: Sequence[Check]) -> str:
    counts = Counter(each.result for each in found)
    return ", ".join(f"{counts[result]} {result}" for result in (PASS, WARN, FAIL) if counts[result])


def _is_of_plan(context: RunContext) -> bool:
    """Whether a plan is there to be checked: documents are checked before there is one."""
    return PLAN in context.artifacts and context.row.phase != "spec"


def _supervised(context: RunContext, plan: Plan | None) -> Supervised:
    known = known_of(context, context.pack.documents)
    contents = {kind: each.content for kind, each in known.items()}
    spec = read_specification(
        contents,
        Sources(
            request=context.session.request,
            language=context.session.language,
            discovery=discovery_of(context),
        ),
    )
    rows = context.desk.tasks(context.session.id)
    errors: Counter[str] = Counter()
    for row in rows:
        errors[row.role] += row.attempts
    return Supervised(spec, lambda path: _exists(context, path), errors, plan, _ground(context, plan))


def _exists(context: RunContext, path: str) -> bool:
    """Whether the project has that file or folder; a path that leaves it has none."""
    plain = path.strip().strip("`").removeprefix("./").rstrip("/")
    if not plain or plain.startswith("/") or ".." in plain.split("/"):
        return False
    with Root(context.project) as opened:
        return opened.exists(plain)


def _ground(context: RunContext, plan: Plan | None) -> Ground:
    """What the plan was checked against as it was made."""
    if plan is None:
        return Ground()
    rows = context.desk.checks(context.session.id)
    kept = [row for row in rows if row.kind == GROUND and row.key == plan.spec_digest]
    return (
        Ground.from_json(kept[-1].data)
        if kept
        else Ground(ids=frozenset(n for t in plan.tasks for n in t.cited))
    )


def _meaning(context: RunContext, calls: AgentCalls, plan: Plan | None) -> tuple[Check | None, str]:
    """What an agent says of the meaning, and its name; no check where none is asked."""
    documents = [each for each in context.pack.documents if not each.is_report]
    prompt = prompts.render(
        GOAL,
        instructions=context.instructions,
        task=context.row.key,
        language=context.session.language,
        schema=ConsistencyContent,
        shared=sources(context, documents),
        material=[("The plan, plan/plan.json", compact(context.text(PLAN) or "") if plan else "")],
    )
    said = opinion(calls, KIND, prompt, ConsistencyContent, {"compares": context.payload.get("compares", "")})
    if said is None:
        return None, RULES
    answer, agent = said
    shown = [
        each for each in answer.contradictions if _stands(context, each.one) and _stands(context, each.other)
    ]
    missing = len(answer.contradictions) - len(shown)
    if missing:
        context.notes.append(f"{agent}: {missing} contradictions whose words were not found in the files")
    worst = {each.severity for each in shown}
    result = FAIL if "high" in worst else WARN if worst else PASS
    words = f"{len(shown) or 'no'} contradictions in meaning"
    return Check("meaning", result, words, tuple(map(_as_evidence, shown)), True, agent), agent


def _stands(context: RunContext, side: Side) -> bool:
    """Whether the words stand in that file of the session."""
    text = context.text(side.path)
    return text is not None and _plain(side.quote) in _plain(text)


def _plain(text: str) -> str:
    return " ".join(text.replace("*", "").replace("`", "").split()).casefold()


def _as_evidence(found: Contradiction) -> Evidence:
    other = f"{found.other.path}: {short(found.other.quote)}"
    return Evidence(found.one.path, f"{short(found.one.quote)} ({short(found.text)})", other)
