"""Reading everything that a run needs, on one snapshot of the database."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from orchestrator.config.settings import Settings
from orchestrator.domain import secrets
from orchestrator.domain.dataclass import replace
from orchestrator.domain.json_types import Json
from orchestrator.domain.model import WISDOM
from orchestrator.domain.pipelines import from_snapshot
from orchestrator.domain.prices import Prices
from orchestrator.door.desk import Desk, Known, Run, Session
from orchestrator.log import Logger
from orchestrator.store import cassettes
from workers.agents.cassette.player import CassettePlayer
from workers.agents.question import Names
from workers.agents.routing import Router
from workers.context.agent_calls import CRITIC, AgentCalls
from workers.context.run_context import RunContext, answered
from workers.host.live_runs import LiveRun, LiveRuns
from workers.host.turns import Turns
from workers.run.role_instructions import instructed


def _masked(seen: Known, known: secrets.Known) -> Known:
    """The request is masked as agents' words are: else documents lack what it says."""
    session = seen.session
    return replace(seen, session=session._replace(request=secrets.mask(session.request, known)))


def load(
    live: LiveRun,
    lives: LiveRuns,
    desk: Desk,
    settings: Settings,
    *,
    runs: Path,
    project: Path,
    instructions: Callable[[str], str],
    log: Logger,
    router: Router,
    prices: Prices,
    environ: Mapping[str, str],
    turns: Turns,
    replaced: Callable[[BaseException], bool],
) -> AgentCalls:
    """Take in what a person edited, then read everything the run needs on one snapshot of the database."""
    row = live.row
    seen = _masked(desk.context(row), secrets.known(environ))
    pack, _ = from_snapshot(seen.snapshot)
    told, unusable = instructed(desk, pack, row, instructions)
    role_text, critic_text = told, instructions(CRITIC)
    wisdom: dict[str, list[str]] = {name: [] for name in WISDOM}
    for entry in seen.wisdom:
        wisdom[entry.name].append(f"[{entry.author}] {entry.data}")
    skipped: list[str] = []
    first = row.payload.get("agent") or seen.session.options.get("agent")
    usable = router.for_role(pack, row.role, skipped.append, first=first)
    workdir = runs / row.run
    workdir.mkdir(parents=True, exist_ok=True, mode=0o700)
    context = RunContext(
        live=live,
        desk=desk,
        session=seen.session,
        pack=pack,
        settings=settings,
        workdir=workdir,
        project=project,
        artifacts=seen.artifacts,
        wisdom=wisdom,
        accumulator=seen.accumulator,
        verdicts=seen.verdicts,
        decisions=seen.decisions,
        instructions=role_text,
        critic_instructions=critic_text,
        input_digest=_input_digest(row, seen, [role_text, critic_text]),
        log=log,
        turns=turns,
        replaced=replaced,
        notes=unusable,
    )
    passed_on = _passed_on(row, seen.accumulator)
    return AgentCalls(
        run=context,
        lives=lives,
        router=router,
        agents=usable,
        skipped=skipped,
        folder=runs / loop_folder(row),
        clients=dict(passed_on.get("clients", {})),
        told={agent: list(keys) for agent, keys in passed_on.get("told", {}).items()},
        prices=prices,
        environ=environ,
        cassette=_cassette(live, seen.session, project, workdir, environ),
    )


def _cassette(
    live: LiveRun, session: Session, project: Path, workdir: Path, environ: Mapping[str, str]
) -> CassettePlayer | None:
    """The session's cassette, as its options name it."""
    chosen = session.options.get("cassette")
    if chosen is None:
        return None
    row = live.row
    names = {session.id: "<session>", row.run: "<run>", str(workdir): "<workdir>", str(project): "<project>"}
    return CassettePlayer(
        does=chosen["does"],
        folder=Path(chosen["folder"]),
        task=row.key,
        role=row.role,
        run=row.run,
        epoch=row.epoch,
        round=row.round,
        names=Names.of(names, session.request),
        environ=environ,
        over=live.stop,
    )


def loop_folder(row: Run) -> str:
    """The name of the folder that the runs of an inner loop share."""
    return f"loop-{row.loop}"


def _passed_on(row: Run, accumulator: Sequence[Mapping[str, Json]]) -> Mapping[str, Json]:
    """Where this inner loop left off: the conversations of its agents, and what each was given."""
    return next((each for each in reversed(accumulator) if each.get("loop") == row.loop), {})


def _input_digest(row: Run, seen: Known, instructions: Sequence[str]) -> str:
    """Of everything that shapes what the task makes: another digest means that what was produced before is stale.

    The decisions that count are those a task answers (`answered`): a retry or a resume must not throw away what the
    attempt before it had made, nor a decision on this very discussion the replies that it was taken on.
    """
    return cassettes.digest(
        json.dumps(
            {
                "task": row.key,
                "payload": row.payload,
                "request": seen.session.request,
                "decisions": answered(row, seen.decisions),
                "wisdom": [[found.name, found.data] for found in seen.wisdom],
                "artifacts": {path: found.sha256 for path, found in seen.artifacts.items()},
                "instructions": instructions,
            },
            sort_keys=True,
        )
    )
