"""Carries operations out: starts one, or joins the one that is under way, and does its steps in this process until it ends.

A process that is killed leaves the rest to whoever comes next: the same command again, another one, or `fleet work`.
"""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from temporalio import activity
from temporalio.client import Client, WorkflowFailureError, WorkflowHandle
from temporalio.common import WorkflowIDConflictPolicy, WorkflowIDReusePolicy
from temporalio.exceptions import ApplicationError, FailureError, WorkflowAlreadyStartedError
from temporalio.service import RPCError
from temporalio.worker import UnsandboxedWorkflowRunner, Worker

from orchestrator.domain.errors import EngineAway, EngineError, LifecycleError, NotAllowedNow, StoreError
from orchestrator.engine.client import connect
from orchestrator.engine.place import place_at
from orchestrator.fleet import cells, moving
from orchestrator.fleet.definition import Fleet
from orchestrator.fleet.workflows import REFUSED, WORKFLOWS

STEPS: tuple[Callable[..., Any], ...] = (
    moving.leave,
    moving.carry,
    moving.let_go,
    moving.arrive,
    moving.enter,
    moving.undo,
    cells.choose,
    cells.start_in,
    cells.mark,
    cells.may_retire,
    cells.halt,
    cells.go_on,
    cells.sessions_in,
)
BEAT_SECONDS = 1.0  # between two signs of life
AT_ONCE = 4  # steps


class CarryingOut:
    """What a process does for a fleet while it is connected."""

    def __init__(self, fleet: Fleet, client: Client) -> None:
        self._fleet = fleet
        self._client = client
        self._threads = ThreadPoolExecutor(AT_ONCE)

    def worker(self) -> Worker:
        return Worker(
            self._client,
            task_queue=self._fleet.queue,
            workflows=WORKFLOWS,
            activities=[self._activity(each) for each in STEPS],
            workflow_runner=UnsandboxedWorkflowRunner(),  # the workflows ask nothing but their steps
            max_cached_workflows=0,  # nothing waits for a process that was killed
            max_concurrent_activities=AT_ONCE,
        )

    def _activity(self, work: Callable[..., Any]) -> Callable[..., Coroutine[Any, Any, Any]]:
        @activity.defn(name=work.__name__)
        async def done(*args: Any) -> Any:
            doing = asyncio.get_running_loop().run_in_executor(
                self._threads, lambda: work(self._fleet, *args)
            )
            while True:
                activity.heartbeat()
                finished, _ = await asyncio.wait([doing], timeout=BEAT_SECONDS)
                if finished:
                    return _result(doing)

        return done

    async def start(self, workflow: str, id: str, *args: Any, once: bool) -> WorkflowHandle[Any, Any]:
        """The operation of that id, which may be under way already; `once`: or have been done."""
        policies = WorkflowIDReusePolicy
        try:
            return await self._client.start_workflow(
                workflow,
                args=args,
                id=id,
                task_queue=self._fleet.queue,
                id_reuse_policy=policies.ALLOW_DUPLICATE_FAILED_ONLY if once else policies.ALLOW_DUPLICATE,
                id_conflict_policy=WorkflowIDConflictPolicy.USE_EXISTING,
            )
        except WorkflowAlreadyStartedError:
            return self._client.get_workflow_handle(id)

    def close(self) -> None:
        self._threads.shutdown(wait=True)


def _result(doing: asyncio.Future[Any]) -> Any:
    """Raises ApplicationError: what the database could not do is tried again, what is refused is not."""
    try:
        return doing.result()
    except LifecycleError as error:
        again = isinstance(error, StoreError)
        raise ApplicationError(
            error.what,
            error.why,
            error.fix,
            type=type(error).__name__ if again else REFUSED,
            non_retryable=not again,
        ) from error


async def _with_client(fleet: Fleet, use: Callable[[CarryingOut], Coroutine[Any, Any, Any]]) -> Any:
    logging.getLogger("temporalio").setLevel(
        logging.CRITICAL
    )  # who asked is told how it ended, without tracebacks
    place = place_at(fleet.temporal, fleet.queue, fleet.file.parent, os.environ)
    doing = CarryingOut(fleet, await connect(place, f"fleet:{os.getpid()}"))
    try:
        return await use(doing)
    except RPCError as error:
        raise EngineAway(f"the engine at {place.address} cannot be reached", why=error.message) from error
    finally:
        doing.close()


def carry_out(fleet: Fleet, workflow: str, id: str, *args: Any, once: bool = False) -> Any:
    """What the operation returns; `once`: what it returned, where it was done before.

    Raises NotAllowedNow where it is refused, EngineError.
    """

    async def use(doing: CarryingOut) -> Any:
        async with doing.worker():
            handle = await doing.start(workflow, id, *args, once=once)
            try:
                return await handle.result()
            except WorkflowFailureError as error:
                raise _refusal(error.cause) from error

    return asyncio.run(_with_client(fleet, use))


def work(fleet: Fleet, ended: Callable[[], Coroutine[Any, Any, None]]) -> None:
    """Do the steps of all operations until `ended` returns. Raises EngineError."""

    async def use(doing: CarryingOut) -> None:
        async with doing.worker():
            await ended()

    asyncio.run(_with_client(fleet, use))


def _refusal(cause: BaseException | None) -> LifecycleError:
    """The error of the step that ended the operation."""
    while (
        isinstance(cause, FailureError)
        and not isinstance(cause, ApplicationError)
        and cause.cause is not None
    ):
        cause = cause.cause
    if isinstance(cause, ApplicationError):
        why, fix = ([*map(str, cause.details), "", ""])[:2]
        return NotAllowedNow(cause.message, why=why, fix=fix)
    return EngineError("the operation was ended", why=str(cause))
