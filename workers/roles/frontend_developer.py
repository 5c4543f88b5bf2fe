"""The developer of the frontend: carries out plan tasks as the executor does, within its side of the project (DEV-FE).

Design tokens become variables of CSS before the agent's turn. The files that the plan gives to backend tasks are forbidden.
"""

from __future__ import annotations

from orchestrator.domain.dataclass import replace
from orchestrator.domain.plan import Plan, PlanTask
from orchestrator.domain.plan_marks import PLAN_TASK
from orchestrator.lifecycle.audit_rounds import BUILDS
from orchestrator.store import files
from workers.agents.prompts import Material
from workers.context.agent_calls import AgentCalls
from workers.context.run_context import RunContext
from workers.evidence.declared import Declared
from workers.evidence.frontend_checks import frontend_checks
from workers.git.session_work import OpenTree, SessionWork
from workers.landing.design_tokens import DesignTokens, tokens_of
from workers.landing.work_plans import declared_by
from workers.roles import Produced
from workers.roles.executor import Craft, carry_out

GOAL = (
    "Carry out the plan task below by editing the frontend files of the current folder, which is a private copy of the "
    "repository. Others build the backend: leave its files alone. Write tests that show what changed, where the project has "
    "tests of its frontend. An audit looks at every line that you add. Commit nothing: what the folder holds when you end is "
    "what counts."
)


def produce(context: RunContext, calls: AgentCalls) -> Produced:
    """The change, ready to land. Raises WorkRefused, PersonAsked, AgentError, TreeError, GitError."""
    return carry_out(context, calls, Craft(GOAL, "dev_fe_complete", _declared, _prepare))


def _declared(context: RunContext, plan: Plan, task: PlanTask) -> Declared:
    """What the task may do; the files of tasks that others carry out are forbidden, unless it names them, too."""
    rows = context.desk.tasks(context.row.session_id)
    others = {row.payload[PLAN_TASK] for row in rows if PLAN_TASK in row.payload and row.prefix != BUILDS}
    mine = {row.payload[PLAN_TASK] for row in rows if PLAN_TASK in row.payload and row.prefix == BUILDS}
    theirs = {each.path for other in plan.tasks if other.id in others for each in other.files}
    ours = {each.path for other in plan.tasks if other.id in mine for each in other.files}
    own = {each.path for each in task.files}
    declared = declared_by(task)
    return replace(declared, forbidden=frozenset(theirs - ours - own))


def _prepare(context: RunContext, work: SessionWork, tree: OpenTree) -> Material:
    """The variables of the design tokens in the tree; what they are, and what the audit will look at."""
    tokens = tokens_of(context, work.private.git, work.row().base)
    context.notes.extend(note for note in tokens.notes if note not in context.notes)
    checks = frontend_checks().checks.values()
    asked = "\n".join(
        f"- {check.do} (not: {check.dont})" for check in checks if not check.tokens or tokens.names
    )
    told = [("What the audit looks at", asked)]
    if tokens.file:
        files.write(tree.checkout.work, tokens.file, tokens.css())
        told.append(("Design tokens", _told(tokens)))
    return told


def _told(tokens: DesignTokens) -> str:
    values = "\n".join(f"{token.name}: {token.value}" for token in tokens.tokens)
    return f"{tokens.file} defines these variables, with a dark theme. Link it, use them, and do not edit it.\n{values}"
