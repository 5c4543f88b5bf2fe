"""What a run knows: its task, its session, what came before, and how it asks agents (the worker's phase 2)."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeVar, cast

from pydantic import BaseModel, ValidationError

from orchestrator import failpoints
from orchestrator.config import extras
from orchestrator.domain import secrets
from orchestrator.domain.agents import BUILTIN
from orchestrator.domain.errors import (
    AccountHeld,
    AgentCrashed,
    AgentError,
    AgentLimited,
    AgentOverloaded,
    AgentRubbish,
    AgentUnavailable,
    CassetteUnusable,
    LeaseLost,
    StoreError,
)
from orchestrator.domain.pipelines import Pack
from orchestrator.domain.prices import Prices
from orchestrator.store import artifacts, cassettes, claims, edits, records
from orchestrator.store.rows import Artifact, Decision, Run, Session, Verdict
from orchestrator.store.store import Store, Tx
from workers.agents.cassette.player import REPLAYED, Called, Deck, Recorded
from workers.agents.protocol import Agent, AgentReply, AgentRequest, Limits, Protected, is_metered
from workers.agents.question import Question
from workers.context import calls
from workers.host.live_runs import LiveRun, LiveRuns

M = TypeVar("M", bound=BaseModel)
NO_MCP = f"agents had no MCP server: it is not installed ({extras.MCP_INSTALL})"
DECIDED = "decide_discussion"  # how the subjects of these decisions begin
CRITIC = "discussant"  # the role of whoever reads critically, whichever task it is asked in
CRITICAL = frozenset({"critique", "architecture_review"})  # the kinds of question that go to a critic


@dataclass(frozen=True, slots=True)
class Failure:
    """One agent's, where another is asked in its place."""

    what: str
    why: str
    readable: object | None  # what of its answer could be read all the same


class RunReleased(Exception):
    """The run was asked to end; its task goes back, uncharged."""


@dataclass
class Context:
    """One run's view. Everything it writes goes through the fence of its run."""

    live: LiveRun
    lives: LiveRuns
    store: Store
    session: Session
    pack: Pack  # the session's own snapshot
    settings: Any
    workdir: Path  # private to the run
    project: Path
    agents: Sequence[Agent]  # for this role, in order; unavailable ones are left out
    skipped: Sequence[str]  # why others were left out
    artifacts: Mapping[str, Artifact]  # newest version of each path
    wisdom: Mapping[str, list[str]]
    accumulator: Sequence[Mapping[str, Any]]
    verdicts: Sequence[Verdict]  # of the session, oldest first
    decisions: Sequence[Decision]
    instructions: str  # of the role, read afresh
    critic_instructions: str  # of CRITIC, for every question in CRITICAL
    input_digest: str
    log: Any
    router: Any  # who speaks for a perspective
    folder: Path  # shared by the runs of this inner loop
    clients: dict[str, str]  # agent -> its conversation in this inner loop
    prices: Prices
    environ: Mapping[str, str] = field(default_factory=dict)  # holds the secrets that agents may see
    deck: Deck | None = None  # the session's cassette
    missed: CassetteUnusable | None = (
        None  # the run cannot go on: what it would make would not be what was recorded
    )
    notes: list[str] = field(default_factory=list)
    unmet: list[str] = field(default_factory=list)  # words of a person that the agent could not act on

    @property
    def row(self) -> Run:
        return self.live.row

    @property
    def payload(self) -> Mapping[str, Any]:
        return self.row.payload

    @property
    def host(self) -> str:
        return self.row.host

    def check(self) -> None:
        """Pass while the run may go on. Raises LeaseLost, RunReleased, CassetteUnusable."""
        if self.live.is_over:
            if self.live.why == "drained":
                raise RunReleased
            raise LeaseLost(run=self.row.run, why=self.live.why or "lease")
        if self.missed is not None:
            raise self.missed

    def write(self, unit: Callable[[Tx], Any]) -> Any:
        """A unit of this run, fenced. Raises LeaseLost, and then wrote nothing."""
        self.check()

        def fenced(tx: Tx) -> Any:
            claims.hold(tx, self.row.run, self.host)
            return unit(tx)

        return self.store.write(fenced)

    def phase(self, name: str) -> None:
        """Say which of the five phases the run is in."""
        self.check()
        self.store.write(lambda tx: claims.note_phase(tx, self.row.run, self.host, name))

    def text(self, path: str) -> str | None:
        """The newest version of an artifact as text, None when there is none."""
        row = self.artifacts.get(path)
        if row is None:
            return None
        return self.store.read(lambda tx: artifacts.body(tx, row.sha256, self.store.path)).decode(
            "utf-8", "replace"
        )

    def json(self, path: str) -> Any:
        """The newest version of a JSON artifact; None when there is none. Raises StoreError when it is no JSON."""
        text = self.text(path)
        if text is None:
            return None
        try:
            return json.loads(text)
        except ValueError as error:
            raise StoreError(
                f"{path} is not JSON any more", why=str(error), fix=f"`lifecycle diff {path}` shows the edit"
            ) from error

    def ask(
        self,
        kind: str,
        prompt: str,
        schema: type[M],
        facts: Mapping[str, Any],
        agents: Sequence[Agent] | None = None,
        *,
        perspective: str | None = None,
        stop: threading.Event | None = None,
        failures: list[Failure] | None = None,
    ) -> tuple[M, AgentReply]:
        """Ask agent after agent until one answers; the answer and who gave it.

        What failed comes into `failures`, without them into the run's notes. Raises the last AgentError when none could,
        AgentUnavailable when there was none to ask.
        """
        failed: AgentError | None = None
        asked = self.agents if agents is None else agents
        for agent in self._voices(kind, prompt, perspective, asked):
            if self._waits_for_another(agent, failed, perspective):
                break
            try:
                reply = self.ask_one(agent, kind, prompt, schema, facts, perspective=perspective, stop=stop)
            except CassetteUnusable as error:
                self.missed = error
                raise
            except AgentError as error:
                self.check()  # a stopped run's agent fails too, and then nobody else is asked
                if stop is not None and stop.is_set():
                    raise
                failed = _first_to_end(failed, error)
                what = error.what if error.what.startswith(agent.name) else f"{agent.name}: {error.what}"
                if failures is None:
                    self.notes.append(what)
                else:
                    failures.append(Failure(what, error.why, error.readable))
                if not isinstance(error, AccountHeld):
                    self.log.warning(
                        "agent_failed", agent=agent.name, kind=kind, error=error.what, why=error.why[:500]
                    )
                continue
            return cast(M, reply.data), reply
        raise failed or AgentUnavailable(
            f"no agent can do the work of the {self.row.role}",
            why="; ".join(self.skipped),
            fix="`lifecycle doctor` says what is missing",
        )

    @property
    def replays(self) -> bool:
        """Whether a cassette answers: then no account is asked, and nothing is learned of its limit."""
        return self.deck is not None and self.deck.does == "replay"

    def _waits_for_another(self, agent: Agent, failed: AgentError | None, perspective: str | None) -> bool:
        """A document waits for its author rather than be written by the built-in agent in the author's place."""
        held = isinstance(failed, AgentLimited | AgentOverloaded)
        return held and agent.name == BUILTIN and not perspective and not self.replays

    def _voices(
        self, kind: str, prompt: str, perspective: str | None, agents: Sequence[Agent]
    ) -> Sequence[Agent]:
        """The agents themselves, or what the session's cassette puts in their place. Raises CassetteUnusable."""
        if self.deck is None:
            return agents
        question = self.deck.question(kind, prompt, perspective)
        if self.deck.does == "replay" and REPLAYED not in self.notes:
            self.notes.append(REPLAYED)
        try:
            return self.deck.voices(question, agents, self._called(question), self.answer)
        except CassetteUnusable as error:
            self.missed = error
            raise

    def _called(self, question: Question) -> list[Called]:
        """The calls of this task with this question that are over, oldest first."""
        rows = self.store.read(lambda tx: records.calls_of(tx, self.session.id))
        return [
            Called(row.run_id, row.outcome)
            for row in rows
            if (row.task, row.purpose, row.perspective) == (self.row.key, question.kind, question.perspective)
            and row.prompt_digest == question.digest
            and row.outcome not in (None, "cut_off", CassetteUnusable.kind)
        ]

    def answer(self, agent: Agent, request: AgentRequest) -> AgentReply:
        """What an agent says, without the secrets that it may see. Raises AgentError; DiskFull of a recording."""
        if isinstance(
            agent, Recorded
        ):  # it asks by this very function, and its cassette's faults are no agent's
            return agent.ask(request)
        return _answer(agent, request, secrets.known(self.environ), self.log)

    def ask_one(
        self,
        agent: Agent,
        kind: str,
        prompt: str,
        schema: type[BaseModel] | None,
        facts: Mapping[str, Any],
        *,
        perspective: str | None = None,
        stop: threading.Event | None = None,
    ) -> AgentReply:
        """One call of one agent, with its row in agent_calls before it begins. Raises AgentError, BudgetReached."""
        begun = calls.begin(
            self,
            agent,
            {
                "session_id": self.session.id,
                "task_id": self.row.id,
                "run_id": self.row.run,
                "agent": agent.name,
                "purpose": kind,
                "perspective": perspective,
                "prompt_digest": self._digest(kind, prompt, perspective),
                "metered": int(is_metered(agent)),
            },
        )
        failpoints.hit("agent.called")
        # What an author said would bind a critic, and the other way round: a critic has a conversation of its own.
        alone = (perspective or kind) if kind in CRITICAL else None
        request = AgentRequest(
            kind=kind,
            prompt=prompt,
            schema=schema,
            facts=facts,
            workdir=self.workdir,
            session=self.session.id,
            task=self.row.key,
            role=CRITIC if alone else self.row.role,
            run=self.row.run,
            round=self.row.round,
            perspective=perspective,
            limits=self._limits(),
            folder=self.workdir / f"as-{alone}" if alone else self.folder,
            resume=None if alone else self.clients.get(agent.name),
            mcp=self._servers(agent) if not perspective else {},
            protected=Protected(self.project, self.store.path, lambda path: edits.is_ours(self.store, path)),
            stop=stop or self.live.stop,
            on_guardian=lambda guardian: self.lives.watch(self.row.run, guardian),
        )
        try:
            reply = self.answer(agent, request)
        except AgentError as error:
            calls.failed(self, agent, begun, error, storable(f"{error.what}: {error.why}"[:2_000]))
            raise
        if reply.client_session is not None and not alone:
            self.clients[agent.name] = reply.client_session
        calls.answered(self, agent, begun, "mined" if reply.mined else "answered", reply.usage, reply.retries)
        return reply

    def _servers(self, agent: Agent) -> dict[str, Any]:
        """The MCP server of this run, for an agent that may speak to the team; it can do its work without."""
        if not self.settings.hand_over_mcp or not is_metered(agent):
            return {}
        if not extras.has_mcp():  # a client would see a server that does not start, and some then give up
            if NO_MCP not in self.notes:
                self.notes.append(NO_MCP)
                self.log.warning("mcp_not_installed", fix=extras.MCP_INSTALL)
            return {}
        from workers.agents.programs.mcp import SERVER, server_for

        return {SERVER: server_for(self.row.run, self.project, self.environ)}

    def _digest(self, kind: str, prompt: str, perspective: str | None) -> str:
        """With a cassette, of the question: the same in every session that asks the same."""
        if self.deck is None:
            return cassettes.digest(prompt)
        return self.deck.question(kind, prompt, perspective).digest

    def _limits(self) -> Limits:
        limits = self.settings.agent_limits
        return Limits(start=limits.start, silence=limits.silence, turn=limits.turn, total=limits.total)


def _first_to_end(before: AgentError | None, error: AgentError) -> AgentError:
    """What a run says that asked in vain: of several limits the one that ends first, else the last fault."""
    if isinstance(before, AgentLimited) and isinstance(error, AgentLimited):
        return min(before, error, key=lambda each: each.until or 0.0)
    return error


def _answer(agent: Agent, request: AgentRequest, known: secrets.Known, log: Any) -> AgentReply:
    """The agent's reply, masked. A fault in its adapter is an answer not had, and never ends the run by itself."""
    try:
        reply = agent.ask(request)
    except AgentError as error:
        error.what, error.why, error.fix = (
            secrets.mask(text, known) for text in (error.what, error.why, error.fix)
        )
        if isinstance(error.readable, BaseModel):
            error.readable = _without_secrets(error.readable, known)
        raise
    except (Exception, SystemExit) as error:
        log.exception("agent_broken", agent=agent.name, kind=request.kind, run=request.run[-8:])
        raise AgentCrashed(
            f"{agent.name} failed by a fault of its adapter",
            why=secrets.mask(f"{type(error).__name__}: {error}", known),
        ) from error
    given = getattr(reply, "data", reply)
    if request.schema is not None and not isinstance(given, request.schema):
        raise AgentRubbish(f"{agent.name} gave no {request.schema.__name__}", why=type(given).__name__)
    return _masked(reply, known) if isinstance(reply, AgentReply) else reply


def _masked(reply: AgentReply, known: secrets.Known) -> AgentReply:
    """The reply without secrets. Raises AgentRubbish when what is left of it cannot be used."""
    data = reply.data and _without_secrets(reply.data, known)
    if data is None and reply.data is not None:
        raise AgentRubbish(f"{reply.agent} gave an answer that cannot be used without the secrets in it")
    return replace(
        reply,
        text=secrets.mask(reply.text, known),
        data=data,
        notes=tuple(secrets.mask(note, known) for note in reply.notes),
    )


def _without_secrets(data: BaseModel, known: secrets.Known) -> BaseModel | None:
    """None when nothing usable is left."""
    said = data.model_dump()
    clean = secrets.mask_all(said, known)
    try:
        return data if clean == said else type(data).model_validate(clean)
    except ValidationError:
        return None


def storable(text: str) -> str:
    """`text` as a database takes it: lone surrogates replaced."""
    return text.encode("utf-8", "replace").decode()


def answered(row: Run, decisions: Sequence[Decision]) -> list[str]:
    """A person's words in the discussions before this task: what it makes has to answer them."""
    own = decision_on(row)
    return [d.words for d in decisions if d.subject.startswith(DECIDED) and d.subject != own]


def decision_on(row: Run) -> str:
    """The subject of a person's decision on the discussion that this task is."""
    return f"{DECIDED} {row.key}"
