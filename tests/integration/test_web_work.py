"""What the page of a session says of its code: as much as `check`, and how to take it over."""

from __future__ import annotations

import re
from pathlib import Path

from orchestrator.store import work_state
from tests.plans import changes, content, planning, told
from tests.web_world import serving
from tests.work.editing import Editing, building, until_idle
from tests.work.lanes import lanes

ONE = lanes(1)


def test_the_page_of_a_session_has_its_commits_tests_and_review_and_how_to_apply_them(tmp_path: Path) -> None:
    harness = building(tmp_path, Editing(ONE, turns={"TASK-001": [ONE.gold["TASK-001"]]}))
    until_idle(harness)
    (head,) = harness.store.read(
        lambda tx: [each.commit_id[:10] for each in work_state.landed(tx, harness.session)]
    )

    with serving(tmp_path, harness.store, harness.session, harness._lead) as world:
        address = f"/p/demo/s/{harness.session}"
        page = world.get(address, accept="text/html").text
        review = re.search(r'href="([^"]*review-REVIEW-001[^"]*)"', page)
        assert review is not None and "REVIEW-001" in world.get(review[1], accept="text/html").text

    assert f"<code>{head}</code>" in page and f'{address}/t/IMPL-001">IMPL-001</a>' in page
    assert "<dt>Tests</dt><dd>PASS" in page and "<dt>Review</dt><dd>APPROVE" in page
    assert f"<code>lifecycle apply {harness.session}</code>" in page


def test_the_page_that_decides_on_a_plan_has_its_tasks_files_and_tests(tmp_path: Path) -> None:
    task = changes(1, "src/app.py", title="Find names")
    files = {"src/app.py": "def find(name):\n    return None\n"}
    harness = planning(tmp_path, told(content(task)), files=files, mode="impl-only", approve_plan=True)
    harness.run()

    with serving(tmp_path, harness.store, harness.session, harness._lead) as world:
        address = f"/p/demo/s/{harness.session}"
        page = world.get(f"{address}/decide", accept="text/html").text
        chinese = world.get(f"{address}/decide", accept="text/html", **{"accept-language": "zh"}).text

    assert f'{address}/doc/plan/.task/TASK-001.json">TASK-001</a>' in page
    assert '<td data-name="Title">Find names</td>' in page and "<code>src/app.py</code> modify" in page
    assert "no command that runs them is known" in page
    assert "<h2>计划</h2>" in chinese and "<code>src/app.py</code> 修改" in chinese
