"""The desk as JSON: each operation's question and answer, by the annotations of `Desk` itself, read strictly.

A question is an object of the operation's arguments, an answer has `value`; dataclasses are objects, rows are arrays,
bytes are base64. What an operation raises is a problem (RFC 9457) whose `type` names the error's class.
"""

from __future__ import annotations

import inspect
import json
import math
import re
from collections.abc import Iterable, Mapping
from functools import cache
from types import GenericAlias
from typing import Any, Final, get_args, get_origin, get_type_hints

from pydantic import BaseModel, ConfigDict, ValidationError, create_model

from orchestrator.domain import errors
from orchestrator.domain.dataclass import dataclass
from orchestrator.domain.json_types import Json
from orchestrator.door.desk import Desk
from orchestrator.store.files import UnsafePath

PROGRAM: Final = "team-lifecycle"  # in the header User-Agent, before a slash and the program's version
VERSION: Final = "2"
VERSION_HEADER: Final = "Lifecycle-Door"
AGENT_PREFIX: Final = "agent/"  # behind it: what agents ask, by the token of their run
CLOCK_HEADER: Final = "Lifecycle-Lease-Now"  # the clock of leases when the question had come, microseconds
PREFIX: Final = "/v1/"
LONGEST_WAIT: Final = 30.0  # seconds that the server keeps a host waiting for news
AWAY: Final = (
    429,
    502,
    503,
    504,
)  # what a proxy answers while it does not reach the server, or has too much to do
LONGEST = 2_000  # characters of each part of a problem

_STRICT = ConfigDict(
    ser_json_bytes="base64",
    val_json_bytes="base64",
    strict=True,
    extra="forbid",
)


class NotReadable(errors.UsageError):
    """The other side sent what this version cannot read."""

    remedy = "run the same version of team-lifecycle on the server and on its hosts"


class DoorRefused(errors.UsageError):
    """The server refuses the host."""

    remedy = "`lifecycle host list` on the server shows what the token is for"


def program_version(user_agent: str) -> str:
    """The version of the program that asks, as it names itself; empty where it says something else."""
    found = re.fullmatch(rf"{PROGRAM}/([0-9A-Za-z.+-]{{1,40}})", user_agent)
    return "" if found is None else found[1]


@dataclass(frozen=True, slots=True)
class Operation:
    """One operation of the desk on the wire."""

    name: str
    signature: inspect.Signature
    asked: type[BaseModel]
    answered: type[BaseModel]
    types: Mapping[str, Any]  # argument -> its annotation

    def question(self, *args: object, **named: object) -> bytes:
        """The body that asks for it. Raises TypeError for arguments that it does not take."""
        bound = self.signature.bind(None, *args, **named)
        bound.apply_defaults()
        given = {
            name: _whole(value, self.types[name]) for name, value in bound.arguments.items() if name != "self"
        }
        return _written(self.asked.model_construct(None, **given))

    def arguments(self, body: bytes) -> dict[str, Any]:
        """What a question asks with. Raises NotReadable."""
        return _read(self.asked, body)

    def answer(self, value: object) -> bytes:
        return _written(self.answered.model_construct(value=value))

    def value(self, body: bytes) -> Any:
        """What an answer says. Raises NotReadable."""
        return _read(self.answered, body)["value"]


def operation(name: str) -> Operation | None:
    """The operation of that name; None where the desk has none."""
    return _made(name) if name in names() else None


@cache
def names() -> frozenset[str]:
    """Every operation of the desk."""
    methods = inspect.getmembers_static(Desk, inspect.isfunction)
    return frozenset(name for name, _ in methods if not name.startswith("_"))


@cache
def _made(name: str) -> Operation:
    method = inspect.getattr_static(Desk, name)
    types = {name: _listed(type_) for name, type_ in get_type_hints(method).items()}
    answered = types.pop("return")
    return Operation(
        name,
        inspect.signature(method),
        create_model(f"{name}_asked", __config__=_STRICT, **{each: (types[each], ...) for each in types}),  # type: ignore[call-overload]
        create_model(f"{name}_answered", __config__=_STRICT, value=(answered, ...)),
        types,
    )


class _Awaited(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid")
    host: str
    seen: int
    seconds: float


def awaited(body: bytes) -> tuple[str, int, float]:
    """Which host waits for news beyond which, and how long: not longer than a server lets it. Raises NotReadable."""
    given = _read(_Awaited, body)
    return given["host"], given["seen"], min(max(0.0, given["seconds"]), LONGEST_WAIT)


def _listed(type_: Any) -> Any:
    """An iterable goes over the wire as a list, which is read as a whole."""
    return GenericAlias(tuple, (*get_args(type_), ...)) if get_origin(type_) is Iterable else type_


def _whole(value: object, type_: Any) -> object:
    return tuple(value) if get_origin(type_) is tuple and isinstance(value, Iterable) else value


def _written(model: BaseModel) -> bytes:
    return model.model_dump_json(warnings="error").encode()


def _read(model: type[BaseModel], body: bytes) -> dict[str, Any]:
    try:
        found = vars(model.model_validate_json(body))
        json.loads(body, parse_constant=_finite, parse_float=_finite)
        return found
    except ValidationError as error:
        faults = error.errors(include_url=False, include_input=False, include_context=False)
        told = (f"{'.'.join(map(str, each['loc'])) or 'body'}: {each['msg']}" for each in faults[:5])
        raise NotReadable(why="; ".join(told)) from error


def _finite(number: str) -> float:
    """Raises NotReadable for what is none in JSON, though readers take it, or too large for one."""
    found = float(number)
    if not math.isfinite(found):
        raise NotReadable(why=f"{number[:20]} is no number")
    return found


# problems


def problem(error: errors.LifecycleError, status: int) -> bytes:
    """The body that tells of an error."""
    content = {
        "type": f"urn:lifecycle:{type(error).__name__}",
        "title": error.what[:LONGEST],
        "detail": error.why[:LONGEST],
        "fix": error.fix[:LONGEST],
        "status": status,
    }
    return json.dumps(content).encode()


TOLD: Final[Mapping[str, type[errors.LifecycleError]]] = {
    each.__name__: each
    for each in (
        errors.DatabaseBusy,
        errors.DiskFull,
        errors.HeadMoved,
        errors.LaneInUse,
        errors.LeaseLost,
        errors.NotAllowedNow,
        UnsafePath,
        errors.TreeError,
        errors.UsageError,
    )
}  # what a caller tells apart; every other error is the server's, and a StoreError to its hosts


def _of_proxy(status: int, words: str) -> errors.ServerAway:
    """Of an answer that is none of ours: the server is away behind it, or will never be reached like this."""
    if status in AWAY:
        return errors.ServerAway(f"the server answered {status}", why=words)
    fix = "have it pass requests of 64 MiB (nginx: `client_max_body_size 64m;`)" if status == 413 else ""
    return errors.AnsweredByProxy(f"a proxy before the server answered {status}", why=words, fix=fix)


def error_of(status: int, body: bytes) -> errors.LifecycleError:
    """The error that a problem tells of."""
    try:
        content: Json = json.loads(body)
        kind = str(content["type"]).rpartition(":")[2]
        words = str(content["title"])
        why, fix = str(content.get("detail", "")), str(content.get("fix", ""))
    except (ValueError, TypeError, KeyError, AttributeError):
        return _of_proxy(status, body[:200].decode("utf-8", "replace"))
    if status in (401, 403, 413, 426):
        return DoorRefused(words, why=why, fix=fix)
    return TOLD.get(kind, errors.StoreError)(words, why=why, fix=fix)
