"""One run through the five phases: claim (done by the slot) -> load context -> produce -> validate, discuss -> report.

What a run does to the outside is small and in one order: it registers what it produced, stores each reply as it comes,
and reports in one transaction. Dying anywhere between leaves a task that another run takes up where this one stopped.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TypeVar

from orchestrator import failpoints, wakeup
from orchestrator.domain.dataclass import dataclass, field, replace
from orchestrator.domain.errors import (
    AgentError,
    DiskFull,
    HeadMoved,
    LeaseLost,
    LifecycleError,
)
from orchestrator.domain.pauses import PauseReason
from orchestrator.door.desk import Desk, Earlier, Ended, Report, Reported, Run, RunProducts
from orchestrator.log import Logger
from orchestrator.store.deletion import remove_folder
from workers.context.agent_calls import AgentCalls
from workers.discussion.round import Critiqued, critique
from workers.documents import markdown_parts
from workers.host.leftovers import await_end
from workers.host.live_runs import LiveRun, LiveRuns
from workers.host.turns import Turns
from workers.landing.coding_agents import has_coding_agent
from workers.roles import LANDING, Produced, produce_for, work_of
from workers.run import loading
from workers.run.run_endings import BY_PROGRAMS, ending_of, of_replaced
from workers.run.settings_watcher import WorkerConfig

T = TypeVar("T")
FIRST_TRY, LONGEST_TRY = 0.1, 2.0  # seconds between two tries to write on a full disk


@dataclass
class Runtime:
    """Executes runs for one host; `draining` says whether the host takes no more."""

    desk: Desk
    config: Callable[[], WorkerConfig]  # settings, agents and prices as they are now
    roles: tuple[str, ...]
    lives: LiveRuns
    project: Path
    instructions: Callable[[str], str]
    draining: Callable[[], bool]
    log: Logger
    own_session: Callable[[], bool] = lambda: False  # whether a slot goes on with its own session alone
    replaced: Callable[[BaseException], bool] = lambda _: (
        False
    )  # whether the program was, under what has failed
    environ: Mapping[str, str] = field(default_factory=dict)  # holds the secrets that agents may see
    turns: Turns = field(default_factory=Turns)
    bell: wakeup.Bell = field(init=False)

    def __post_init__(self) -> None:
        self.bell = wakeup.Bell(self.desk.project_id)

    def close(self) -> None:
        """Finish what no run waits for, once no slot works any more."""
        self.bell.close()

    def execute(self, live: LiveRun) -> Run | None:
        """Take one run to its report; the successor's opened run, when the report advanced to one."""
        row = live.row
        log = self.log.bind(session=row.session_id, task=row.key, run=row.run[-8:])
        times = _Times()
        try:
            calls = times.measure("context", lambda: self._load(live, log))
            failpoints.hit("context.loaded")
            produced = times.measure("produce", lambda: _produce(calls))
            critiqued = times.measure("discuss", lambda: _discuss(calls, produced))
            produced, reported = self._reported(calls, produced, critiqued, times)
        except Exception as error:
            self._failed(live, error, times.taken, log)
            return None
        finally:
            markdown_parts.forget()
        failpoints.hit("report.after_commit")
        if reported is None or reported.next is None:
            _follow(produced, log)
        else:
            self.bell.later(lambda: _follow(produced, log))  # the next task need not wait for it
        self.bell.later(lambda: self._clean(row.run))
        if reported is None or reported.next is None or reported.next.loop != row.loop:
            # At once: whoever is offered the loop's next task has this folder, too.
            self._clean(loading.loop_folder(row))
        if reported is None or reported.advance.wake:
            wakeup.wake_daemon(self.desk.project_id)  # after the commit: a beat is wanted
        else:
            self.bell.ring()  # the files can follow a moment later
        if reported is None:
            log.info("person_asked", round=row.round)
            return None
        log.info(
            "task_completed",
            advance=reported.advance.kind,
            next=reported.advance.task,
            paused=reported.paused,
        )
        if reported.next is not None:
            failpoints.hit("advance.before_next")
        return reported.next

    def _load(self, live: LiveRun, log: Logger) -> AgentCalls:
        row = live.row
        if row.epoch > 1:  # the attempt before may have been revoked while its agent lives
            await_end(self.desk.attempts_before(row), live.stop, log)
        config = self.config()
        return loading.load(
            live,
            self.lives,
            self.desk,
            config.settings,
            runs=self.desk.workflow / "runs",
            project=self.project,
            instructions=self.instructions,
            log=log,
            router=config.router,
            prices=config.prices,
            environ=self.environ,
            turns=self.turns,
            replaced=self.replaced,
        )

    def _reported(
        self, calls: AgentCalls, produced: Produced, critiqued: Critiqued | None, times: _Times
    ) -> tuple[Produced, Reported | None]:
        """What was reported; where the head has moved meanwhile, what was made is merged with the new one first."""
        while True:
            try:
                return produced, self._report(calls, produced, critiqued, times.taken)
            except HeadMoved:
                if produced.relanded is None:
                    raise
                produced = _register(calls, times.measure("merge", produced.relanded))

    def _report(
        self, calls: AgentCalls, produced: Produced, critiqued: Critiqued | None, timings: Mapping[str, float]
    ) -> Reported | None:
        """Close the run; None when its discussion asks a person, and the run was released. Raises LeaseLost."""
        context = calls.run
        context.check()
        if critiqued is not None and not critiqued.consequence.completes:
            self.desk.end(_asking(context.row, critiqued, timings))
            return None
        done = replace(_compose(calls, produced, critiqued, timings), own_session=self.own_session())
        return self.desk.report(done, self.roles, draining=self.draining())

    # what can go wrong

    def _failed(self, live: LiveRun, error: Exception, timings: Mapping[str, float], log: Logger) -> None:
        """Report the attempt's end by the class of its error; nothing is said of a run that was revoked."""
        row = live.row
        if isinstance(error, LeaseLost) or (live.stop.is_set() and live.why != "drained"):
            log.warning("run_lost", why=live.why or "fenced")
            self._clean(row.run)
            return
        ending = ending_of(live, error)
        if (ending.counted or ending.pause in BY_PROGRAMS) and self._was_replaced(error, log):
            ending = of_replaced(ending)
        if ending.counted:
            log.error(
                "attempt_failed", error=ending.text[:2_000], exc_info=not isinstance(error, LifecycleError)
            )
        else:
            log.warning("attempt_released", why=ending.text[:500])

        ended = Ended(
            row,
            ending.text,
            counted=ending.counted,
            timings=timings,
            backoff=self.config().settings.backoff_seconds,
            pause=ending.pause,
            detail={"task": row.key, "error": ending.text, **dict(ending.detail)},
            wait=ending.wait,
            limited_by=ending.limited_by,
            by_agent=isinstance(error, AgentError),
        )
        try:
            self._write_end(live, ended, log)
        except LeaseLost:
            log.warning("run_lost", why="fenced")
        wakeup.wake_daemon(self.desk.project_id)

    def _was_replaced(self, error: Exception, log: Logger) -> bool:
        """Whether the program was, under what has failed; where that cannot be told, it was not."""
        try:
            return self.replaced(error)
        except Exception:
            log.exception("program_unknown")
            return False

    def _write_end(self, live: LiveRun, ended: Ended, log: Logger) -> None:
        """Write how the attempt ended; on a full disk again and again, as long as the run is ours.

        Else the attempt would be lost by its lease, and count though the disk was at fault. Raises LeaseLost, DiskFull.
        """
        wait = FIRST_TRY
        while True:
            try:
                self.desk.end(ended)
                return
            except DiskFull as error:
                if wait == FIRST_TRY:
                    log.error("end_not_written", why=error.why, fix="make room on the disk")
                if not live.lasts(wait):
                    raise
            wait = min(2 * wait, LONGEST_TRY)

    def _clean(self, run: str) -> None:
        """The private directory of a run that was reported; a failed run's is kept a day, as evidence."""
        directory = self.desk.workflow / "runs" / run
        try:
            if directory.is_dir() and not directory.is_symlink():
                remove_folder(directory)
        except OSError as error:
            self.log.warning("folder_not_removed", folder=run, error=str(error))


class _Times:
    def __init__(self) -> None:
        self.taken: dict[str, float] = {}

    def measure(self, name: str, step: Callable[[], T]) -> T:
        begun = time.monotonic()
        try:
            return step()
        finally:
            self.taken[name] = round(time.monotonic() - begun, 4)


# the phases


def _produce(calls: AgentCalls) -> Produced:
    """Make the artifact, or find what an earlier run of this task made from the same input. Registers it with this run."""
    context, row = calls.run, calls.run.row
    work = work_of(context.pack, row)
    earlier = None if work in LANDING else context.desk.produced_before(row, context.input_digest)
    if earlier is not None:
        produced = Produced.again(earlier.files, earlier.note)
        context.log.info("produced_before", by_run=earlier.run[-8:])
    else:
        context.phase("produce")
        produced = produce_for(work)(context, calls)
    failpoints.hit("produce.done")
    return _register(calls, produced, earlier)


def _register(calls: AgentCalls, produced: Produced, earlier: Earlier | None = None) -> Produced:
    """Note what was made, with this run; `earlier`: the run that had made it, whose critiques count."""
    context = calls.run
    context.check()
    by = None if earlier is None else earlier.run
    made = RunProducts(context.input_digest, produced.agent, produced.note, produced.files, by)
    context.desk.produced(context.row, made)
    failpoints.hit("produced.registered")
    return produced


def _follow(produced: Produced, log: Logger) -> None:
    """Let the refs follow what has landed; the host's maintenance repeats it where that cannot be done now."""
    if produced.after is None:
        return
    failpoints.hit("head.stored")
    try:
        produced.after()
    except (LifecycleError, OSError) as error:
        what, why = getattr(error, "what", type(error).__name__), getattr(error, "why", str(error))
        log.warning("refs_lag", error=what, why=why[:500])


def _discuss(calls: AgentCalls, produced: Produced) -> Critiqued | None:
    """The inline discuss, where the task has a round; its record becomes one of the run's products."""
    context = calls.run
    if context.row.round is None:
        return None
    context.phase("discuss")
    critiqued = critique(calls, produced)
    if critiqued.record is not None:
        path, body = critiqued.record
        everything = {**produced.files, path: (body, "discussion")}
        context.check()
        context.desk.add_record(context.row, everything)
    failpoints.hit("discuss.done")
    return critiqued


def _compose(
    calls: AgentCalls, produced: Produced, critiqued: Critiqued | None, timings: Mapping[str, float]
) -> Report:
    context, row = calls.run, calls.run.row
    accumulator = {
        "task": row.key,
        "artifact": produced.artifact,
        "key_decisions": list(produced.key_decisions),
        "discuss_verdict": critiqued.words if critiqued else None,
        "discuss_rating": critiqued.mean if critiqued else None,
        "summary": produced.summary,
        "loop": row.loop,
        "clients": calls.clients,
        "told": calls.told,
    }
    wisdom = [*produced.wisdom, *(critiqued.wisdom if critiqued else ())]
    return Report(
        row=row,
        message_type=produced.message_type,
        summary=critiqued.summary if critiqued else f"{row.key} complete. {produced.summary}",
        ref=produced.artifact,
        inner_loop=context.pack.roles[row.role].inner_loop,
        accumulator=accumulator,
        timings=timings,
        data={"notes": [*produced.notes, *context.notes], "agent": produced.agent},
        discussed=critiqued.stored if critiqued else None,
        gate=produced.gate,
        wisdom=wisdom,
        unmet=context.unmet,
        changed=produced.changed,
        shared=produced.shared,
        fan_out=produced.fan_out,
        gaps=produced.gaps,
        can_code=not produced.gaps or has_coding_agent(calls),
        landing=produced.landing,
        links=produced.links,
        verdict=produced.verdict,
        blocked=produced.blocked,
        max_attempts=context.settings.max_attempts,
    )


def _asking(row: Run, critiqued: Critiqued, timings: Mapping[str, float]) -> Ended:
    """The run is released, without counting the attempt, and the session waits for a person's decision."""
    return Ended(
        row,
        "the discussion waits for a person",
        counted=False,
        timings=timings,
        pause=PauseReason.DISCUSSION_BLOCKED,
        detail={
            "task": row.key,
            "round": row.round,
            "options": critiqued.options,
            "faults": critiqued.faults,
        },
        asks=(critiqued.summary, critiqued.options),
    )
