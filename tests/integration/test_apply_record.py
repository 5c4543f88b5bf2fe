"""What is noted of an `apply`: a person's decision, once for each commit."""

from __future__ import annotations

from pathlib import Path

import pytest

from orchestrator.cli.apply import say_applied
from orchestrator.commands.apply import applicable, record
from orchestrator.domain.errors import NotAllowedNow
from orchestrator.domain.json_types import JsonObject
from orchestrator.domain.pauses import PauseReason
from orchestrator.store import decisions, sessions
from tests import factories as make


def done(what: str, *paths: str) -> JsonObject:
    return {"what": what, "head": "c" * 40, "before": "b" * 40, "commit": "c" * 40, "paths": list(paths)}


def test_that_it_was_there_already_does_not_stand_for_a_merge_elsewhere(tmp_path: Path) -> None:
    store = make.make_store(tmp_path)
    session = make.make_session(store)

    for each in (done("already"), done("already"), done("fast_forwarded", "a.py"), done("merged", "a.py")):
        record(store, session, each, who="ann")

    noted = store.read(lambda tx: decisions.decisions_of(tx, session))
    assert [each.words for each in noted] == ["already", "fast_forwarded"]


def test_a_session_that_is_paused_before_any_code_says_what_continues_it(tmp_path: Path) -> None:
    store = make.make_store(tmp_path)
    session = make.make_session(store)
    store.write(lambda tx: sessions.pause(tx, session, PauseReason.USER, {}))

    with pytest.raises(NotAllowedNow, match="paused before any code was written") as refused:
        store.read(lambda tx: applicable(tx, session))

    assert refused.value.fix.startswith("`lifecycle resume`")


@pytest.mark.parametrize(
    ("keep", "where", "noted"),
    [
        ("git switch -c NAME", "your detached HEAD", True),
        (None, "your branch", False),
    ],
)
def test_work_on_a_detached_head_says_how_to_keep_it(
    keep: str | None, where: str, noted: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    say_applied("S", {**done("merged", "a.py"), "keep": keep})

    said = capsys.readouterr()
    assert f"S was merged into {where}, which is at cccccccccccc" in said.out
    assert ("`git switch -c NAME` keeps it" in said.err) is noted
