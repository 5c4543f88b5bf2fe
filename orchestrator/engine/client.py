"""A connection to the Temporal server: messages are standalone activities, which hosts poll from task queues.

A message has the ids of an offer and nothing else. What a host answers only ends the message: the row of the task is the
truth, and whoever claims it first has it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from datetime import timedelta
from typing import Any, TypeVar

from temporalio.api.common.v1 import Payloads
from temporalio.api.failure.v1 import ApplicationFailureInfo, Failure
from temporalio.api.taskqueue.v1 import TaskQueue
from temporalio.api.workflowservice.v1 import (
    DescribeNamespaceRequest,
    GetSystemInfoRequest,
    PollActivityTaskQueueRequest,
    RespondActivityTaskCompletedRequest,
    RespondActivityTaskFailedRequest,
)
from temporalio.client import Client
from temporalio.common import ActivityIDConflictPolicy, ActivityIDReusePolicy, Priority, RetryPolicy
from temporalio.exceptions import ActivityAlreadyStartedError
from temporalio.service import RPCError, RPCStatusCode, TLSConfig

from orchestrator.domain.dataclass import dataclass
from orchestrator.domain.errors import EngineAway, EngineError
from orchestrator.engine.place import EnginePlace

T = TypeVar("T")
DELIVER = "deliver"  # the type of the activity
ANSWER_SECONDS = 5.0  # within which the engine answers, long polls apart
POLL_SECONDS = 20.0
TAKEN_SECONDS = (
    3.0  # after which a message whose host has not answered is delivered again: a claim takes a part of it
)
AGAIN_SECONDS = 1.0  # until one that a host gave back is
USUAL_PRIORITY, LAST_PRIORITY = 3, 5  # 1 goes first
_NOT_BELIEVED, _ENDED = "InvalidCertificate", "call error after connection"  # in the library's words
_AWAY = (
    RPCStatusCode.UNAVAILABLE,
    RPCStatusCode.DEADLINE_EXCEEDED,
    RPCStatusCode.CANCELLED,
    RPCStatusCode.UNKNOWN,
    RPCStatusCode.INTERNAL,
    RPCStatusCode.RESOURCE_EXHAUSTED,
)


@dataclass(frozen=True, slots=True)
class Delivery:
    """An offer as a message delivered it; `token` answers it."""

    task: int
    epoch: int
    queue: str
    token: bytes


class Engine:
    """Raises EngineAway where the engine cannot be reached, EngineError where it refuses."""

    def __init__(self, client: Client, place: EnginePlace, version: str) -> None:
        self._client = client
        self._service = client.workflow_service
        self._converter = client.data_converter.payload_converter
        self.place = place
        self.version = version

    @classmethod
    async def connect(cls, place: EnginePlace, identity: str) -> Engine:
        """`identity`: by which the engine shows this process. Refuses a namespace that cannot have such messages."""
        client = await connect(place, identity)
        service, limit = client.workflow_service, timedelta(seconds=ANSWER_SECONDS)
        info = await _asked(place, service.get_system_info(GetSystemInfoRequest(), timeout=limit))
        found = await _asked(
            place,
            service.describe_namespace(DescribeNamespaceRequest(namespace=place.namespace), timeout=limit),
        )
        if not found.namespace_info.capabilities.standalone_activities:
            raise EngineError(
                f"the engine at {place.address} cannot deliver offers",
                why=f"Temporal {info.server_version} has no standalone activities in {place.namespace}",
                fix='use Temporal 1.31 or newer, or set dispatch = "desk"',
            )
        return cls(client, place, info.server_version)

    async def answers(self, seconds: float) -> None:
        """Pass when it answers within so many seconds."""
        await self._asked(
            self._service.get_system_info(GetSystemInfoRequest(), timeout=timedelta(seconds=seconds))
        )

    async def send(
        self, task: int, epoch: int, queue: str, *, priority: int, share: str, again: bool = False
    ) -> bool:
        """Have an offer delivered; False where its message was sent before.

        `share`: those with one get turns in equal parts. `again`: also where its message has ended.
        """
        ids = ActivityIDReusePolicy
        try:
            await self._asked(
                self._client.start_activity(
                    DELIVER,
                    args=[{"task": task, "epoch": epoch}],
                    id=self.place.message(task, epoch),
                    task_queue=queue,
                    start_to_close_timeout=timedelta(seconds=TAKEN_SECONDS),
                    id_reuse_policy=ids.ALLOW_DUPLICATE if again else ids.REJECT_DUPLICATE,
                    id_conflict_policy=ActivityIDConflictPolicy.FAIL,
                    retry_policy=RetryPolicy(
                        initial_interval=timedelta(seconds=AGAIN_SECONDS), backoff_coefficient=1.0
                    ),
                    priority=Priority(
                        priority_key=min(max(USUAL_PRIORITY - priority, 1), LAST_PRIORITY),
                        fairness_key=share[:64],
                    ),
                    rpc_timeout=timedelta(seconds=ANSWER_SECONDS),
                )
            )
        except ActivityAlreadyStartedError:
            return False
        return True

    async def poll(self, queue: str) -> Delivery | None:
        """The next message of a queue; None when none came for a while."""
        request = PollActivityTaskQueueRequest(
            namespace=self.place.namespace, task_queue=TaskQueue(name=queue), identity=self._client.identity
        )
        found = await self._asked(
            self._service.poll_activity_task_queue(request, timeout=timedelta(seconds=POLL_SECONDS))
        )
        if not found.task_token:
            return None
        try:
            (said,) = self._converter.from_payloads(found.input.payloads)
            return Delivery(int(said["task"]), int(said["epoch"]), queue, found.task_token)
        except (ValueError, TypeError, KeyError, RuntimeError) as error:  # a stranger's: nobody gets it again
            await self._fail(found.task_token, f"it names no offer: {error}", None)
            return None

    async def finish(self, delivery: Delivery, outcome: str) -> None:
        """End a message: the offer was claimed, or stands no more."""
        request = RespondActivityTaskCompletedRequest(
            namespace=self.place.namespace,
            task_token=delivery.token,
            identity=self._client.identity,
            result=Payloads(payloads=self._converter.to_payloads([outcome])),
        )
        await self._answered(
            self._service.respond_activity_task_completed(request, timeout=timedelta(seconds=ANSWER_SECONDS))
        )

    async def give_back(self, delivery: Delivery, why: str, seconds: float = AGAIN_SECONDS) -> None:
        """Have a message delivered again, after so many seconds, to whoever polls."""
        await self._fail(delivery.token, why, seconds)

    async def _fail(self, token: bytes, why: str, again: float | None) -> None:
        told = ApplicationFailureInfo(type="NotClaimed", non_retryable=again is None)
        if again is not None:
            told.next_retry_delay.FromTimedelta(timedelta(seconds=again))
        request = RespondActivityTaskFailedRequest(
            namespace=self.place.namespace,
            task_token=token,
            identity=self._client.identity,
            failure=Failure(message=why, source="team-lifecycle", application_failure_info=told),
        )
        await self._answered(
            self._service.respond_activity_task_failed(request, timeout=timedelta(seconds=ANSWER_SECONDS))
        )

    async def _answered(self, call: Coroutine[Any, Any, object]) -> None:
        """An answer that comes too late is for nobody: the message was delivered again meanwhile, or ended."""
        try:
            await call
        except RPCError as error:
            if error.status is not RPCStatusCode.NOT_FOUND:
                raise _error(self.place, error) from error

    async def _asked(self, call: Coroutine[Any, Any, T]) -> T:
        return await _asked(self.place, call)


async def connect(place: EnginePlace, identity: str) -> Client:
    """A client of the library's own, connected. Raises EngineAway."""
    tls = (
        False
        if place.tls is None
        else TLSConfig(
            server_root_ca_cert=place.tls.authorities,
            client_cert=place.tls.certificate,
            client_private_key=place.tls.key,
        )
    )
    try:
        async with asyncio.timeout(ANSWER_SECONDS):
            client = await Client.connect(
                place.address,
                namespace=place.namespace,
                tls=tls,
                api_key=place.api_key,
                identity=identity,
                connect_timeout=timedelta(seconds=ANSWER_SECONDS),
            )
    except (RuntimeError, TimeoutError, OSError) as error:  # what the library raises where nobody answers
        raise _unreachable(place, str(error)) from error
    return client


def _unreachable(place: EnginePlace, why: str) -> EngineAway:
    """Why nobody answers in the library's words, and which settings may be at fault."""
    if _NOT_BELIEVED in why:
        fix = "name who signed it in temporal.tls_ca, and the engine in temporal.address as its certificate does"
        return EngineAway(
            f"the certificate of the engine at {place.address} is not believed", why=why, fix=fix
        )
    if (
        _ENDED in why
    ):  # it took the connection and ended it: so does who wants TLS, or a certificate, or neither
        shown = (
            "speaks TLS and is asked without" if place.tls is None else "wants a certificate that it knows"
        )
        if place.tls is not None and place.tls.certificate is not None:
            shown = "does not know our certificate"
        return EngineAway(
            f"the engine at {place.address} ends the connection",
            why=f"perhaps it {shown}: {why}",
            fix="check temporal.tls, temporal.tls_cert and temporal.tls_key, or start the engine",
        )
    return EngineAway(f"the engine at {place.address} cannot be reached", why=why)


async def _asked(place: EnginePlace, call: Coroutine[Any, Any, T]) -> T:
    try:
        return await call
    except RPCError as error:
        raise _error(place, error) from error


def _error(place: EnginePlace, error: RPCError) -> EngineError:
    if error.status in _AWAY:
        return EngineAway(f"the engine at {place.address} cannot be reached", why=error.message)
    return EngineError(
        f"the engine at {place.address} refuses what it is asked",
        why=f"{error.status.name}: {error.message}"[:300],
        fix="check temporal.namespace and temporal.api_key_env; `lifecycle doctor` tries it",
    )
