"""Ids of traces: the same for everybody who knows the run; and the header that carries them."""

from __future__ import annotations

import re

import pytest

from orchestrator.domain import trace_ids

TRACE, SPAN = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"


def test_whoever_knows_a_run_names_the_same_trace_and_no_other_runs() -> None:
    run, other = trace_ids.of_run("r-1"), trace_ids.of_run("r-2")

    assert run == trace_ids.of_run("r-1") == trace_ids.parent_in(trace_ids.traceparent("r-1"))
    assert re.fullmatch("[0-9a-f]{32}", run.trace) and re.fullmatch("[0-9a-f]{16}", run.span)
    parts = {
        trace_ids.part_of(each, part) for each in ("r-1", "r-2") for part in ("run", "context", "call 1")
    }
    assert len(parts) == 6 and {run.span, other.span} < parts and run.trace != other.trace


def test_a_session_is_named_by_a_digest_without_words_of_its_request() -> None:
    assert re.fullmatch("[0-9a-f]{16}", trace_ids.session_digest("TLS-url-shortener-2026-11-21"))


@pytest.mark.parametrize("flags", ["01", "03", "ff"])
def test_a_sampled_parent_is_taken(flags: str) -> None:
    assert trace_ids.parent_in(f"00-{TRACE}-{SPAN}-{flags}") == (TRACE, SPAN)


def test_a_later_version_may_say_more() -> None:
    assert trace_ids.parent_in(f"01-{TRACE}-{SPAN}-01-more") == (TRACE, SPAN)


@pytest.mark.parametrize(
    "header",
    [
        None,
        "",
        f"00-{TRACE}-{SPAN}-00",  # not sampled
        f"00-{'0' * 32}-{SPAN}-01",
        f"00-{TRACE}-{'0' * 16}-01",
        f"00-{TRACE}-{SPAN}-01-more",
        f"ff-{TRACE}-{SPAN}-01",
        f"00-{TRACE.upper()}-{SPAN}-01",
        f"00-{TRACE}-{SPAN}-1",
        f"00-{TRACE[:-1]}-{SPAN}-01",
        f" 00-{TRACE}-{SPAN}-01",
        f"00-{TRACE}-{SPAN}-01\n",
        f"01-{TRACE}-{SPAN}-01-{'x' * 600}",
        "00-٠٠٠",
    ],
)
def test_what_is_no_parent_is_passed_over(header: str | None) -> None:
    assert trace_ids.parent_in(header) is None
