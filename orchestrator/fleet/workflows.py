"""The operations as workflows: the order of their steps, and what is undone. What a step does is no concern of these.

A workflow is replayed from its history, so it asks nothing but its steps: no clock, no file, no database.
"""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from temporalio import workflow
from temporalio.common import RetryPolicy
from temporalio.exceptions import ActivityError, ApplicationError

STEP_SECONDS = 600.0  # for one step
BEAT_SECONDS = 5.0  # without a sign of life of the process that does a step, another one begins it
REFUSED = "Refused"  # the type of an error that trying again would not mend
AT_WORK_SECONDS = 1.0  # between two looks whether a cell is at rest


async def step(name: str, *args: Any) -> Any:
    """Do a step until it is done, or refused."""
    return await workflow.execute_activity(
        name,
        args=args,
        start_to_close_timeout=timedelta(seconds=STEP_SECONDS),
        heartbeat_timeout=timedelta(seconds=BEAT_SECONDS),
        retry_policy=RetryPolicy(
            initial_interval=timedelta(seconds=0.5),
            maximum_interval=timedelta(seconds=15),
            non_retryable_error_types=[REFUSED],
        ),
    )


def is_refused(error: ActivityError) -> bool:
    return isinstance(error.cause, ApplicationError) and error.cause.type == REFUSED


@workflow.defn
class Move:
    """Bring a session from one cell to another."""

    @workflow.run
    async def run(self, session: str, source: str, target: str) -> str:
        epoch = await step("leave", session, source, target)
        try:
            await step("carry", session, source, target, epoch)
            await step("let_go", session, source, epoch)
        except ActivityError as error:
            if is_refused(error):
                await step("undo", session, source, target, epoch)
            raise
        await step("arrive", session, target, epoch)
        await step("enter", session, target, epoch)
        return target


@workflow.defn
class Place:
    """Start a session in the cell with the most room."""

    @workflow.run
    async def run(self, request: str, mode: str | None, cell: str | None, key: str) -> list[str]:
        chosen = await step("choose", cell)
        session = await step("start_in", chosen, request, mode, key)
        await step("enter", session, chosen, 0)
        return [session, chosen]


@workflow.defn
class Drain:
    """Let nothing be at work in a cell: it takes no new session, and those that it has are paused."""

    @workflow.run
    async def run(self, cell: str) -> None:
        await step("mark", cell, "draining")
        while not await step("halt", cell):
            await workflow.sleep(AT_WORK_SECONDS)
        await step("mark", cell, "drained")


@workflow.defn
class Reopen:
    """Let a cell take sessions again, and continue those that its drain has paused."""

    @workflow.run
    async def run(self, cell: str) -> list[str]:
        await step("mark", cell, "open")
        halted: list[str] = await step("go_on", cell)
        return halted


@workflow.defn
class Retire:
    """Empty a cell for good: drain it, and move each of its sessions to a cell that is open."""

    @workflow.run
    async def run(self, cell: str) -> dict[str, str]:
        await step("may_retire", cell)
        await step("mark", cell, "draining")
        while not await step("halt", cell):
            await workflow.sleep(AT_WORK_SECONDS)
        moved: dict[str, str] = {}
        while left := await step("sessions_in", cell):
            for session in left:
                target = await step("choose", None, cell)
                moved[session] = await workflow.execute_child_workflow(
                    Move.run,
                    args=[session, cell, target],
                    id=move_id(workflow.info().task_queue, session, cell),
                )
        await step("mark", cell, "retired")
        return moved


def move_id(queue: str, session: str, source: str) -> str:
    """One move of a session out of a cell at a time; `queue`: the fleet's, as others may share the engine."""
    return f"{queue}:move:{session}:{source}"


WORKFLOWS = (Move, Place, Drain, Reopen, Retire)
