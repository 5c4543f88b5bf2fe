"""The architect: advice on a specification, a plan, code, a question, or whether something can be done (ARCH).

Rules come first, then one question to an agent, whose concerns count where their lines are found. It blocks nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from orchestrator.domain.agent_kinds import RULES, by_rules
from orchestrator.domain.concerns import (
    ASKED,
    AT,
    FINE,
    HIGH,
    LOW,
    MODE,
    QUESTION,
    AdviceMode,
    Concern,
    Place,
    rating_of,
    record_path,
    verdict_of,
)
from orchestrator.domain.json_types import JsonObject
from orchestrator.domain.plan import PLAN
from workers.agents import prompts
from workers.context.advised import TITLE, concerns_text
from workers.context.agent_calls import AgentCalls
from workers.context.analyses import compact_text, exploration_text, found_places, stamped
from workers.context.opinions import opinion
from workers.context.planned import current_plan
from workers.context.run_context import RunContext
from workers.context.sources import sources
from workers.context.written_documents import known_of
from workers.documents.advice_content import AdviceContent, Raised
from workers.documents.condensed import compact
from workers.documents.cutting import cut
from workers.documents.frame import to_json
from workers.documents.labels import labels
from workers.documents.lint import read_specification
from workers.documents.lint.specification import Sources
from workers.documents.page import Printer
from workers.explore.citations import CitationCheck
from workers.landing.seen_code import SeenCode, seen_code
from workers.roles import Produced
from workers.roles.design_checks import (
    DIMENSIONS,
    Design,
    concerns_of_code,
    concerns_of_plan,
    concerns_of_question,
    concerns_of_spec,
)
from workers.roles.drafting import discovery_of
from workers.roles.explorer import exploration_of

KIND = "advice"
VIEW = "architecture"  # the perspective from which a question is explored
CODE_LIMIT = 30_000  # characters of changed files that an agent reads
OBSERVED = 6  # findings by rule that answer a question where no agent does
GRAVE = 10  # concerns that go into the team's notes
GOALS = {
    AdviceMode.SPEC: "Judge the architecture as it is written: does it carry what is required, and what will it make hard?",
    AdviceMode.PLAN: "Judge the plan before it is carried out: its tasks, their order and size, what they do to the code.",
    AdviceMode.CODE: "Judge the structure of the code: what the change, or the project, makes hard to change later.",
    AdviceMode.CONSULT: "Answer the question, with options and what speaks for and against each.",
    AdviceMode.FEASIBILITY: "Say whether it can be done here, what stands against it, and with which effort and risk.",
}
_RULES: Mapping[AdviceMode, Sequence[Callable[[Design], list[Concern]]]] = {
    AdviceMode.SPEC: (concerns_of_spec,),
    AdviceMode.PLAN: (concerns_of_plan,),
    AdviceMode.CODE: (concerns_of_code,),
    AdviceMode.CONSULT: (concerns_of_question,),
    AdviceMode.FEASIBILITY: (concerns_of_question, concerns_of_spec),
}


def produce(context: RunContext, calls: AgentCalls) -> Produced:
    """The advice as values and as a page. Raises AgentLimited where nothing waits for it, BudgetReached, CassetteUnusable."""
    mode = AdviceMode(str(context.payload.get(MODE, AdviceMode.CONSULT)))
    question = str(context.payload.get(QUESTION) or "")
    code = seen_code(context)
    explored = _explored(context, question) if mode in ASKED else None
    design = _design(context, code, explored, question)
    found = [concern for rule in _RULES[mode] for concern in rule(design)]
    context.check()
    said, agent = _asked(context, calls, mode, design, explored, found)
    shown, bare = _checked(context, design, said.concerns if said else ())
    concerns = sorted([*found, *shown], key=lambda each: ("high", "medium", "low").index(each.severity))
    verdict = verdict_of(concerns, mode, by_rules=said is None)
    record: JsonObject = {
        **stamped(context, "advice"),
        "mode": mode.value,
        "question": question or None,
        "at": context.payload.get(AT),
        "verdict": verdict,
        "answer": said.answer if said else _answer(design, explored, mode),
        "dimensions": _dimensions(found, said),
        "concerns": [each.as_json() for each in concerns],
        "recommendations": list(said.recommendations) if said else _options(concerns),
        "unverified": bare,
        "agent": agent,
    }
    path = record_path(context.row.revision_of or context.row.key)
    counted = ", ".join(
        f"{sum(each.severity == s for each in concerns)} {s}" for s in ("high", "medium", "low")
    )
    return Produced(
        files={
            path: (to_json(record), "evidence"),
            f"{path.removesuffix('.json')}.md": (
                advice_page(context.session.language, context.session.title, record),
                "report",
            ),
        },
        artifact=path,
        summary=f"{mode}: {verdict}, concerns: {counted}{', by rules alone' if by_rules([agent]) else ''}",
        message_type="arch_ready" if verdict in FINE else "arch_concern",
        agent=agent,
        notes=[*code.notes, *(f"no evidence was found for: {text[:200]}" for text in bare)],
        wisdom=[
            ("issues", f"{context.row.key} ({each.severity}): {each.text[:500]}")
            for each in concerns
            if each.severity != LOW
        ][:GRAVE],
        shared={
            "mode": mode.value,
            "verdict": verdict,
            "high": sum(each.severity == HIGH for each in concerns),
        },
    )


def advice_page(language: str, title: str, record: JsonObject) -> bytes:
    """The advice for people."""
    front = {
        "session_id": record["session"],
        "document_type": record["schema"],
        "generated_at": record["generated_at"],
        "version": 1,
        "author": record["agent"],
        "task": record["task"],
    }
    return Printer(language).page("architecture/page.md", "advice.md.j2", front, name=title, record=record)


def _explored(context: RunContext, question: str) -> JsonObject:
    return exploration_of(context, VIEW, question or context.session.request, leads=True)


def _design(context: RunContext, code: SeenCode, explored: JsonObject | None, question: str) -> Design:
    known = known_of(context, context.pack.documents)
    language = context.session.language
    kept = Sources(request=context.session.request, language=language, discovery=discovery_of(context))
    spec = read_specification({kind: each.content for kind, each in known.items()}, kept)
    near = [str(each["path"]) for each in (explored or {}).get("relevant_files", [])]
    files = {
        path: context.text(path) or ""
        for path in context.artifacts
        if path.startswith(("spec/", "plan/", "qa/impl-")) and "/.content/" not in path
    }
    return Design(
        language,
        code,
        spec,
        current_plan(context),
        frozenset(near),
        question or context.session.request,
        files,
    )


def _asked(
    context: RunContext,
    calls: AgentCalls,
    mode: AdviceMode,
    design: Design,
    explored: JsonObject | None,
    found: Sequence[Concern],
) -> tuple[AdviceContent | None, str]:
    """What an agent says, and its name; nothing where none is asked or answers."""
    rules = "\n".join(
        f"- {each.severity}: {each.text} {[f'{p.path}:{p.line}' for p in each.evidence]}" for each in found
    )
    documents = [each for each in context.pack.documents if not each.is_report]
    prompt = prompts.render(
        GOALS[mode],
        instructions=context.instructions,
        task=context.row.key,
        language=context.session.language,
        schema=AdviceContent,
        shared=sources(context, documents),
        material=[
            ("The question", str(context.payload.get(QUESTION) or "")),
            ("The plan, plan/plan.json", compact(context.text(PLAN) or "") if design.plan else ""),
            *(
                (f"A task of the plan, {task.path}", context.text(task.path) or "")
                for task in (design.plan.tasks if design.plan else ())
            ),
            ("Exploration", exploration_text(explored) if explored else ""),
            ("Changed files", _changed(design) if mode is AdviceMode.CODE else ""),
            ("Findings by rule", rules),
            (TITLE, concerns_text(context)),
        ],
    )
    facts: JsonObject = {"mode": mode.value, "question": context.payload.get(QUESTION)}
    said = opinion(calls, KIND, prompt, AdviceContent, facts, waits=_waits(context))
    return (None, RULES) if said is None else said


def _waits(context: RunContext) -> bool:
    """Whether an account at its limit may be waited for: nothing waits for advice that a person asked for."""
    return QUESTION in context.payload


def _changed(design: Design) -> str:
    return cut(
        "\n".join(f"{path}:\n{design.code.texts[path]}" for path in sorted(design.code.changed)), CODE_LIMIT
    )


def _checked(
    context: RunContext, design: Design, raised: Sequence[Raised]
) -> tuple[list[Concern], list[str]]:
    """An agent's concerns whose lines are there, and the words of the others."""
    check = CitationCheck(context.project)
    check.know({**design.files, **(design.code.texts if design.code.has_landed else {})})
    shown, bare = [], []
    for each in raised:
        places, _ = found_places(check, each.evidence)
        if not places:
            bare.append(each.text)
            continue
        evidence = tuple(Place(place["path"], place["line"], place["quote"]) for place in places)
        shown.append(Concern(each.severity, each.text, evidence, tuple(each.options)))
    return shown, bare


def _dimensions(found: Sequence[Concern], said: AdviceContent | None) -> list[JsonObject]:
    """Each dimension as the rules see it, then as an agent does."""
    by_rule: list[JsonObject] = []
    for name in DIMENSIONS:
        own = [each for each in found if each.dimension == name]
        by_rule.append(
            {"name": name, "rating": rating_of(own), "text": own[0].text if own else "", "source": RULES}
        )
    told = [{**each.model_dump(mode="json"), "source": "agent"} for each in (said.dimensions if said else ())]
    return [*by_rule, *told]


def _answer(design: Design, explored: JsonObject | None, mode: AdviceMode) -> str:
    """What was checked and what the project shows on the question, where no agent answers it."""
    words = labels(design.language).words
    checked = [words["advice_unjudged"], ""] if mode in ASKED else []
    observed = [
        compact_text({"text": each["text"]}).removeprefix("text: ")
        for each in (explored or {}).get("observations", [])
    ]
    shown = [words["advice_shows"], *(f"- {text}" for text in observed[:OBSERVED])] if observed else []
    return "\n".join([*checked, *shown]).strip()


def _options(concerns: Sequence[Concern]) -> list[str]:
    return list(dict.fromkeys(option for each in concerns if each.severity != LOW for option in each.options))
