"""How a run asks agents: one after the other until one answers, each call with its row, its limits and its masked reply."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TypeVar, cast

from pydantic import BaseModel

from orchestrator import failpoints
from orchestrator.config import extras
from orchestrator.domain import secrets
from orchestrator.domain.agent_kinds import BUILTIN
from orchestrator.domain.dataclass import dataclass, field
from orchestrator.domain.errors import (
    AccountHeld,
    AgentCrashed,
    AgentError,
    AgentLimited,
    AgentOverloaded,
    AgentUnavailable,
    CassetteUnusable,
)
from orchestrator.domain.json_types import Json
from orchestrator.domain.prices import Prices
from orchestrator.store import cassettes
from workers.agents.cassette.player import REPLAYED, Called, CassettePlayer, Recorded
from workers.agents.pointing import Places
from workers.agents.programs.mcp import SERVER, server_elsewhere, server_for
from workers.agents.prompts import Prompt
from workers.agents.protocol import (
    Agent,
    AgentReply,
    AgentRequest,
    Protected,
    StdioServer,
    Timeouts,
    is_metered,
)
from workers.agents.question import Question
from workers.agents.routing import Router
from workers.context.ledger import CallLedger
from workers.context.masking import ask_masked
from workers.context.run_context import RunContext, storable
from workers.host.live_runs import LiveRuns

M = TypeVar("M", bound=BaseModel)
NO_MCP = f"agents had no MCP server: it is not installed ({extras.MCP_INSTALL})"
CRITIC = "discussant"  # the role of whoever reads critically, whichever task it is asked in
SECOND_LOOK = "second_look"
CRITICAL = frozenset(
    {"critique", "architecture_review", SECOND_LOOK}
)  # the kinds of question that go to a critic


@dataclass(frozen=True, slots=True)
class Failure:
    """One agent's, where another is asked in its place."""

    what: str
    why: str
    readable: object | None  # what of its answer could be read all the same


@dataclass
class AgentCalls:
    """The agents of one run, and the calls that it makes of them."""

    run: RunContext
    lives: LiveRuns
    router: Router
    agents: Sequence[Agent]  # for the run's role, in order; unavailable ones are left out
    skipped: Sequence[str]  # why others were left out
    folder: Path  # shared by the runs of this inner loop
    clients: dict[str, str]  # agent -> its conversation in this inner loop
    told: dict[str, list[str]]  # agent -> the pieces of material that this conversation was given
    prices: Prices
    environ: Mapping[str, str] = field(default_factory=dict)  # holds the secrets that agents may see
    cassette: CassettePlayer | None = None  # the session's cassette

    def ask(
        self,
        kind: str,
        prompt: Prompt,
        schema: type[M],
        facts: Mapping[str, Json],
        agents: Sequence[Agent] | None = None,
        *,
        perspective: str | None = None,
        places: Places | None = None,
        stop: threading.Event | None = None,
        failures: list[Failure] | None = None,
        tree: Path | None = None,
    ) -> tuple[M, AgentReply]:
        """Ask agent after agent until one answers; the answer and who gave it.

        `tree`: the private tree that it may edit. What failed comes into `failures`, without them into the run's notes.
        Raises the last AgentError when none could, AgentUnavailable when there was none to ask.
        """
        failed: AgentError | None = None
        asked = self.agents if agents is None else agents
        for agent in self._agents_for(kind, prompt.text, perspective, asked):
            if self._waits_for_another(agent, failed, perspective):
                break
            try:
                reply = self.ask_one(
                    agent,
                    kind,
                    prompt,
                    schema,
                    facts,
                    perspective=perspective,
                    places=places,
                    stop=stop,
                    tree=tree,
                )
            except CassetteUnusable as error:
                self.run.cannot_go_on = error
                raise
            except AgentError as error:
                self.run.check()  # a stopped run's agent fails too, and then nobody else is asked
                if isinstance(
                    error, (AgentCrashed, AgentUnavailable)
                ):  # so does one that another program started
                    self.run.end_if_replaced(error)
                if stop is not None and stop.is_set():
                    raise
                failed = _first_to_end(failed, error)
                what = error.what if error.what.startswith(agent.name) else f"{agent.name}: {error.what}"
                if failures is None:
                    self.run.notes.append(what)
                else:
                    failures.append(Failure(what, error.why, error.readable))
                if not isinstance(error, AccountHeld):
                    self.run.log.warning(
                        "agent_failed", agent=agent.name, kind=kind, error=error.what, why=error.why[:500]
                    )
                continue
            return cast(M, reply.data), reply
        raise failed or AgentUnavailable(
            f"no agent can do the work of the {self.run.row.role}",
            why="; ".join(self.skipped),
            fix="`lifecycle doctor` says what is missing",
        )

    @property
    def replays(self) -> bool:
        """Whether a cassette answers: then no account is asked, and nothing is learned of its limit."""
        return self.cassette is not None and self.cassette.does == "replay"

    def _waits_for_another(self, agent: Agent, failed: AgentError | None, perspective: str | None) -> bool:
        """A document waits for its author rather than be written by the built-in agent in the author's place."""
        held = isinstance(failed, AgentLimited | AgentOverloaded)
        return held and agent.name == BUILTIN and not perspective and not self.replays

    def _agents_for(
        self, kind: str, prompt: str, perspective: str | None, agents: Sequence[Agent]
    ) -> Sequence[Agent]:
        """The agents themselves, or what the session's cassette puts in their place. Raises CassetteUnusable."""
        if self.cassette is None:
            return agents
        question = self.cassette.question(kind, prompt, perspective)
        if self.cassette.does == "replay" and REPLAYED not in self.run.notes:
            self.run.notes.append(REPLAYED)
        try:
            return self.cassette.agents_for(question, agents, self._called(question), self.answer)
        except CassetteUnusable as error:
            self.run.cannot_go_on = error
            raise

    def _called(self, question: Question) -> list[Called]:
        """The calls of this task with this question that are over, oldest first."""
        rows = self.run.desk.calls(self.run.session.id)
        return [
            Called(row.run_id, row.outcome)
            for row in rows
            if (row.task, row.purpose, row.perspective)
            == (self.run.row.key, question.kind, question.perspective)
            and row.prompt_digest == question.digest
            and row.outcome not in (None, "cut_off", CassetteUnusable.kind)
        ]

    @property
    def ledger(self) -> CallLedger:
        """Where the calls are noted."""
        return CallLedger(self.run, self.prices, self.router, asks_accounts=not self.replays)

    def answer(self, agent: Agent, request: AgentRequest) -> AgentReply:
        """What an agent says, without the secrets that it may see. Raises AgentError; DiskFull of a recording."""
        if isinstance(
            agent, Recorded
        ):  # it asks by this very function, and its cassette's faults are no agent's
            return agent.work(request) if request.edits else agent.ask(request)
        run = self.run
        return ask_masked(agent, request, secrets.known(self.environ), run.log, run.end_if_replaced)

    def ask_one(
        self,
        agent: Agent,
        kind: str,
        prompt: Prompt,
        schema: type[BaseModel] | None,
        facts: Mapping[str, Json],
        *,
        perspective: str | None = None,
        places: Places | None = None,
        stop: threading.Event | None = None,
        tree: Path | None = None,
    ) -> AgentReply:
        """One call of one agent, with its row in agent_calls before it begins. Raises AgentError, BudgetReached."""
        run = self.run
        digest = self._digest(kind, prompt.text, perspective)
        call = self.ledger.begin(agent, kind, perspective, digest)
        failpoints.hit("agent.called")
        # What an author said would bind a critic, and the other way round: a critic has a conversation of its own.
        alone = (perspective or kind) if kind in CRITICAL else None
        request = AgentRequest(
            kind=kind,
            prompt=prompt.text,
            schema=schema,
            facts=facts,
            workdir=run.workdir,
            session=run.session.id,
            task=run.row.key,
            role=CRITIC if alone else run.row.role,
            run=run.row.run,
            round=run.row.round,
            perspective=perspective,
            timeouts=Timeouts.of(run.settings.agent_limits),
            folder=run.workdir / f"as-{alone}" if alone else self.folder,
            resume=None if alone else self.clients.get(agent.name),
            news=None if alone else prompt.news(self.told.get(agent.name, ())),
            breaks=prompt.breaks,
            edits=tree is not None,
            tree=tree,
            unconfined=run.settings.work.unconfined,
            places=places,
            mcp=self._servers(agent) if not perspective else {},
            protected=Protected(
                run.project,
                run.workflow / "lifecycle.db",
                run.desk.is_ours,
                None if tree is None else run.trees,
            ),
            stop=stop or run.live.stop,
            on_guardian=lambda guardian: self.lives.watch(run.row.run, guardian),
        )
        try:
            reply = self.answer(agent, request)
        except AgentError as error:
            self.ledger.failed(agent, call, error, storable(f"{error.what}: {error.why}"[:2_000]))
            raise
        if reply.client_session is not None and not alone:
            self.clients[agent.name] = reply.client_session
            self.told[agent.name] = prompt.keys  # no more than that: it may have had to begin anew
        self.ledger.answered(agent, call, reply)
        return reply

    def _servers(self, agent: Agent) -> dict[str, StdioServer]:
        """The MCP server of this run, for an agent that may speak to the team; it can do its work without."""
        if not self.run.settings.hand_over_mcp or not is_metered(agent):
            return {}
        if not extras.has_mcp():  # a client would see a server that does not start, and some then give up
            if NO_MCP not in self.run.notes:
                self.run.notes.append(NO_MCP)
                self.run.log.warning("mcp_not_installed", fix=extras.MCP_INSTALL)
            return {}
        run, desk = self.run.row, self.run.desk
        if (door := desk.agents_door) is None:
            return {SERVER: server_for(run.run, self.run.project, self.environ)}
        token = desk.agent_token(run)
        return {SERVER: server_elsewhere(run.run, self.run.project, token, door, self.environ)}

    def _digest(self, kind: str, prompt: str, perspective: str | None) -> str:
        """With a cassette, of the question: the same in every session that asks the same."""
        if self.cassette is None:
            return cassettes.digest(prompt)
        return self.cassette.question(kind, prompt, perspective).digest


def _first_to_end(before: AgentError | None, error: AgentError) -> AgentError:
    """The error of a run that got no answer: of several limits the one that ends first, else the last fault."""
    if isinstance(before, AgentLimited) and isinstance(error, AgentLimited):
        return min(before, error, key=lambda each: each.until or 0.0)
    return error
