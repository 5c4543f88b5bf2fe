"""The built-in agent: deterministic, needs no network and no key, says only what request and repository say.

request  the request taken apart: sorter (one statement), classify (all of them), titles, users
clauses, wishes, goals, names, criteria, stories  its tools     revision, amended, orders  what a person says later
discovery, brief, requirements, architecture, epics, declared  the documents     review, critique  readings of them
task_plan  the plan of an implementation     analyses  of a project     team_texts  documents of dynamic mode
"""

from __future__ import annotations

from importlib import import_module

from orchestrator.domain.documents import DECLARED, DocumentDef
from orchestrator.domain.errors import AgentCrashed, AgentUnavailable
from workers.agents.protocol import AgentReply, AgentRequest, Usage
from workers.documents.lexicon import detect_language

__all__ = ["BuiltinAgent", "analyse_request", "detect_language"]

ANALYSES = {"analysis": "answer", "analysis_round": "held", "conclusions": "concluded"}  # kind -> function
KINDS = (
    "discovery",
    "brief",
    "requirements",
    "architecture",
    "architecture_review",
    "epics",
    DECLARED,
    "critique",
    "plan",
    "team_document",
    *ANALYSES,
)
_MODULES = {
    "architecture_review": "review",
    "plan": "task_plan",
    "team_document": "team_texts",
    **dict.fromkeys(ANALYSES, "analyses"),
}  # of kinds that are called otherwise


def __getattr__(name: str) -> object:
    if name in (
        "analyse_request",
        "RequestAnalysis",
    ):  # late: reading Markdown is not needed to name the agent
        return getattr(import_module("workers.builtin.request"), name)
    raise AttributeError(name)


class BuiltinAgent:
    """Answers every kind of question by rule; cannot edit a work tree."""

    name = "builtin"
    metered = False  # it is free

    def available(self) -> str | None:
        return None

    def ask(self, request: AgentRequest) -> AgentReply:
        """Same facts, same content. Raises AgentUnavailable for a kind it has no rules for."""
        from workers.builtin.material import material

        document = request.facts.get("document")
        kind = request.kind
        if isinstance(document, DocumentDef) and document.kind == kind:
            kind = document.model
        if kind not in KINDS:
            raise AgentUnavailable(
                f"the built-in agent has no rules for {kind!r}", why=f"known: {', '.join(KINDS)}"
            )

        def check() -> None:
            if request.stop.is_set():
                raise AgentCrashed("the run is over", task=request.task)

        check()
        module = import_module(f"workers.builtin.{_MODULES.get(kind, kind)}")
        given = material(request.facts, check)
        data = (
            module.critique(given, request)
            if kind == "critique"
            else getattr(module, ANALYSES.get(kind, "answer"))(given)
        )
        unmet: tuple[str, ...] = ()
        if kind not in ("critique", "plan", "architecture_review", "team_document", *ANALYSES):
            data, unmet = import_module("workers.builtin.revision").told(data, given)
            data = import_module("workers.builtin.doubts").doubted(data, given)
        check()
        if request.schema is not None and not isinstance(data, request.schema):
            data = request.schema.model_validate(data.model_dump())
        return AgentReply(
            text=data.model_dump_json(),
            data=data,
            agent=self.name,
            usage=Usage(tokens_in=0, tokens_out=0, cost_usd=0.0),
            unmet=unmet,
        )

    def work(self, request: AgentRequest) -> AgentReply:
        raise AgentUnavailable(
            "the built-in agent cannot edit a work tree",
            fix="configure a coding agent for this role",
            task=request.task,
        )
