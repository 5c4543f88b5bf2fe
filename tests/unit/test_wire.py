"""What goes over the wire between a host and its server: everything of the desk, as it was, read strictly."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from orchestrator.domain.errors import (
    AnsweredByProxy,
    DiskFull,
    LeaseLost,
    LifecycleError,
    ServerAway,
    StoreError,
)
from orchestrator.domain.model import AdvanceKind, Consensus, Severity
from orchestrator.domain.pauses import PauseReason
from orchestrator.domain.prices import Cost, Usage
from orchestrator.domain.scheduling import Advance
from orchestrator.domain.verdicts import Consequence
from orchestrator.door import wire
from orchestrator.door.desk import (
    CallEnd,
    CallHandle,
    Desk,
    Discussed,
    Ended,
    Link,
    NoBudget,
    RateLimit,
    Report,
    Reported,
    RoundFinding,
    RoundVerdict,
    Run,
    RunProducts,
)

RUN = Run(
    1, "s", "K", "writer", "K", "spec", None, None, 0, 0, {"a": [1]}, 0, 3, "r", 1, "r", "offer", "h-1", 5, 6
)


def asked(name: str, *given: Any, **named: Any) -> dict[str, Any]:
    """The arguments as the other side reads them."""
    found = wire.operation(name)
    assert found is not None
    return found.arguments(found.question(*given, **named))


def answered(name: str, value: object) -> Any:
    found = wire.operation(name)
    assert found is not None
    return found.value(found.answer(value))


def test_every_operation_of_the_desk_can_be_asked() -> None:
    properties = {"project_id", "workflow", "carrier", "agents_door"}
    methods = {name for name in dir(Desk) if not name.startswith("_")} - properties

    assert set(wire.names()) == methods
    assert wire.operation("__init__") is wire.operation("workflow") is wire.operation("nothing") is None


def test_what_is_asked_is_read_as_it_was() -> None:
    made = RunProducts(
        "d", "claude", {"n": [None, 1.5, "ä", "\x00"]}, {"spec/a.md": (b"\xff\x00", "document")}
    )
    end = CallEnd("failed", Usage(tokens_in=1), Cost(1_000, "reported"), until=1e300)
    failed = Ended(RUN, "e", True, {}, (1.0,), PauseReason.DISK, asks=("which?", ({"label": "a"},)))

    assert asked("produced", RUN, made) == {"run": RUN, "made": made}
    assert asked("end_call", RUN, CallHandle(1, None, False), end)["how"] == end
    told = asked("end", failed)["ended"]
    assert (told.row, told.pause, list(told.asks[1])) == (RUN, PauseReason.DISK, [{"label": "a"}])
    assert asked("renew", "h-1", iter(["a", "b"]), lease_seconds=20, draining=False)["runs"] == ("a", "b")
    assert asked("check", "s", "t" * 40, "tests", ["all"])["keys"] == ["all"]
    assert asked("open_tree", RUN, 1, Path("/x/y"), "b")["folder"] == Path("/x/y")


def test_a_report_is_read_as_it_was() -> None:
    link = Link("a", "1", None, "b", "2", None, "by", 0, None, "r")
    discussed = Discussed(
        Consequence("pause", PauseReason.BUDGET),
        RoundVerdict("R-1", Consensus.BLOCKED, Severity.HIGH, 1.0, "discussions/R-1.md", {"actions": []}),
        [RoundFinding("divergence", None, "risk", "x")],
        {},
    )
    report = Report(
        RUN, "draft_ready", "s", None, True, {}, {}, discussed=discussed, wisdom=[("a", "b")], links=[link]
    )

    told = asked("report", report, ("writer",), draining=False)["done"]

    assert (told.row, told.next, told.discussed, told.wisdom, told.links) == (
        RUN,
        report.next,
        discussed,
        [("a", "b")],
        [link],
    )


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("claim", RUN),
        ("claim", None),
        ("begin_call", CallHandle(1, "a", True)),
        ("begin_call", RateLimit("ours", 3, 2, 0, "a", "weekly")),
        ("begin_call", NoBudget("used up")),
        ("content", b"\x00\xff"),
        ("report", Reported(Advance(AdvanceKind.FAST, "K", "why", False), RUN, None)),
        ("phase", None),
        ("over", ["a"]),
    ],
)
def test_what_is_answered_is_read_as_it_was(name: str, value: object) -> None:
    assert answered(name, value) == value


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"[]",
        b"{",
        b'{"host": "h-1"}',
        b'{"host": "h-1", "roles": ["a"], "run": 1}',
        b'{"host": "h-1", "roles": "a", "run": "r"}',
        b'{"host": "h-1", "roles": ["a"], "run": "r", "more": 1}',
        b'{"host": "\xff", "roles": [], "run": "r"}',
    ],
)
def test_a_question_that_is_not_one_is_refused(body: bytes) -> None:
    found = wire.operation("claim")
    assert found is not None

    with pytest.raises(wire.NotReadable) as caught:
        found.arguments(body)

    assert caught.value.why and caught.value.fix


def test_an_error_is_the_same_on_the_other_side() -> None:
    for error in (LeaseLost(), DiskFull("full", why="no room", fix="make some")):
        told = wire.error_of(409, wire.problem(error, 409))
        assert (type(told), told.lines()) == (type(error), error.lines())


def test_an_error_that_only_the_server_has_is_one_of_the_store() -> None:
    told = wire.error_of(500, wire.problem(LifecycleError("broken"), 500))
    assert type(told) is StoreError and told.what == "broken"


@pytest.mark.parametrize("body", [b"", b"<html>", b"[]", b"3", json.dumps({"title": "x"}).encode()])
def test_an_answer_of_somebody_else_is_no_error_of_ours(body: bytes) -> None:
    assert type(wire.error_of(502, body)) is ServerAway


@pytest.mark.parametrize("status", [301, 400, 403, 404, 413, 500])
def test_an_answer_that_comes_again_and_is_not_the_servers_is_the_proxys(status: int) -> None:
    told = wire.error_of(status, b"<html><title>no</title></html>")

    assert type(told) is AnsweredByProxy
    assert str(status) in told.what and "<title>no" in told.why
    assert ("client_max_body_size" in told.fix) is (status == 413)
