"""The pictures of docs/web.md show the pages as they are made now, all of them, with a text for those who do not see them."""

from __future__ import annotations

import json
import re
from pathlib import Path

from starlette.testclient import TestClient

from orchestrator.project import Project
from orchestrator.web.access import Access, Admission
from orchestrator.web.feed import Feed
from orchestrator.web.served import ServedProject
from orchestrator.web.server import build
from orchestrator.web.site import Site
from tests.demo_world import demo_world
from tests.pictures import FOLDER, LIST, PICTURES, PROJECT, structure, structures
from tests.web_world import ORIGIN, PORT

MOST_BYTES = 1_500_000
PAGE = (FOLDER.parent / "web.md").read_text(encoding="utf-8")


def test_pictures_show_the_pages_as_they_are_made_now(tmp_path: Path) -> None:
    with demo_world(tmp_path / PROJECT) as demo:
        projects = [ServedProject(PROJECT, Project(demo.folder))]
        site = Site(projects, Access(tmp_path / "state"), Feed(projects), PORT)
        client = TestClient(build(site), base_url=ORIGIN)
        given = site.access.enter(site.access.code("ana", "decide"))
        assert isinstance(given, Admission)

        def ask(path: str, language: str) -> str:
            headers = {"cookie": f"lc-{PORT}={given.cookie}", "accept-language": language}
            answer = client.get(path, headers=headers)
            assert answer.status_code == 200, answer.text
            return answer.text

        found = structures(demo, ask)
        client.close()
        projects[0].close()

    known = json.loads(LIST.read_text())
    stale = sorted(name for name in found.keys() | known.keys() if found.get(name) != known.get(name))
    assert stale == [], "`make pictures` makes them anew"


def test_every_picture_is_shown_and_described_and_all_are_small() -> None:
    files = {file.stem: file.stat().st_size for file in FOLDER.glob("*.png")}
    shown = dict(re.findall(r"!\[([^\]]+)\]\(pictures/([\w-]+)\.png\)", PAGE))

    assert set(files) == {each.name for each in PICTURES} == set(shown.values())
    assert len(shown) == len(files)
    assert all(len(text) > 20 for text in shown)
    assert sum(files.values()) < MOST_BYTES


def test_a_structure_changes_with_elements_and_headings_and_not_with_values() -> None:
    page = '<h2>Cost of 3</h2><p class="soft">$1.25 at 09:41</p>'

    assert structure(page) == structure(page.replace("1.25", "7.10").replace("of 3", "of 12"))
    assert structure(page) != structure(page.replace("soft", "lines"))
    assert structure(page) != structure(page.replace("Cost", "Price"))
