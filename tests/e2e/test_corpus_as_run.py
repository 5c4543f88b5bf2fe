"""What the corpus measures is what a session writes."""

from __future__ import annotations

import json
from pathlib import Path

from tests.corpus.given import given, read_as
from tests.corpus.labelled import HERE
from tests.e2e.support import lifecycle
from workers.documents.content import Brief, Discovery, Requirements
from workers.documents.identifiers import Registered, content_path


def test_measuring_run_and_session_give_the_same_items(tmp_path: Path) -> None:
    path = HERE / "ferry-manifest.md"
    with lifecycle(tmp_path / "p") as life:
        gave = life.run("start", f"@{path}")
        assert gave.code == 0, gave.err
        folder = life.directory()

        contents = [
            Registered.from_json(json.loads((folder / content_path(kind)).read_text())).content
            for kind in ("discovery", "brief", "requirements")
        ]

    discovery, brief, requirements = contents
    assert isinstance(discovery, Discovery)
    assert isinstance(brief, Brief)
    assert isinstance(requirements, Requirements)
    assert read_as(path.read_text(), discovery, brief, requirements) == given(path)
