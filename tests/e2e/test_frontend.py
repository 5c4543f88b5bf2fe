"""Frontend work by the real command: an audit with a real browser finds what was planted, and its second round is clean."""

from __future__ import annotations

import json
from pathlib import Path

from tests import invariants
from tests.git_world import as_left, git
from tests.work.building import building
from tests.work.frontend import PAGE, PLAYERS, begin_frontend, mended_page

PNG = b"\x89PNG\r\n\x1a\n"


def test_faults_of_a_page_that_a_browser_finds_are_mended_in_the_second_round(tmp_path: Path) -> None:
    with building(tmp_path, PAGE, mended_page(), roles=PLAYERS) as project:
        before = as_left(project.folder)

        done = project.run(*begin_frontend(project), timeout=300)

        assert done.code == 0, done.out + done.err
        folder = project.directory() / "qa"
        first = json.loads((folder / "audit-fe-QA-FE-001-r1.json").read_text())
        second = json.loads((folder / "audit-fe-QA-FE-002-r2.json").read_text())
        assert (first["verdict"], second["verdict"]) == ("NEEDS_FIX", "PASS")
        found = {each["rule"]: (each["path"], each["severity"]) for each in first["findings"]}
        assert found["image_alt"] == ("index.html", "critical")
        assert found["control_label"] == ("index.html", "critical")
        assert found["axe:color-contrast"] == ("index.html", "high")
        assert first["browser"]["pages"] == ["index.html"] and second["findings"] == []
        for number, audit in (("001-r1", first), ("002-r2", second)):
            pictures = [name for name in audit["browser"]["screens"] if f"QA-FE-{number}" in name]
            assert len(pictures) == 8, pictures
            assert all((project.directory() / name).read_bytes().startswith(PNG) for name in pictures)
        assert list(project.tasks()) == [
            "PLAN-001", "DEV-FE-001", "QA-FE-001", "DEV-FE-002", "QA-FE-002"
        ]  # fmt: skip
        assert as_left(project.folder) == before
        assert 'alt="' in git(project.folder, "show", f"lifecycle/{project.session()}:index.html")
        invariants.check(project.database)
