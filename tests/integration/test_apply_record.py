"""What is noted of an `apply`: a person's decision, once for each commit."""

from __future__ import annotations

from pathlib import Path

from orchestrator.commands.apply import record
from orchestrator.domain.json_types import JsonObject
from orchestrator.store import decisions
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
