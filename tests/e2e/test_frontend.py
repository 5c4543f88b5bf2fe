"""Frontend work by the real command: an audit with a real browser finds what was planted, and its second round is clean."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests import invariants
from tests.e2e.support import Lifecycle
from tests.git_world import as_left, git
from tests.work.building import assert_nothing_lost, building, subjects
from tests.work.frontend import (
    BOTH_SIDES,
    LOOP,
    MENDED,
    PAGE,
    PLAYERS,
    UNSERVED,
    begin_frontend,
    mended_page,
)
from tests.work.scenarios import Scenario, Turn, patched, whole
from workers.evidence.browsers import why_no_browser

PNG = b"\x89PNG\r\n\x1a\n"
MISSING = why_no_browser(os.environ)
with_browser = pytest.mark.skipif(bool(MISSING), reason=f"{MISSING}")


def audit(project: Lifecycle, task: str, number: int) -> dict[str, Any]:
    file = project.directory() / "qa" / f"audit-fe-{task}-r{number}.json"
    found: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    return found


def claim(quote: str, text: str) -> dict[str, Any]:
    """What an agent says of the page."""
    return {"dimension": "UX", "severity": "medium", "path": "index.html", "quote": quote, "text": text}


@pytest.mark.long
@with_browser
def test_faults_of_a_page_that_a_browser_finds_are_mended_in_the_second_round(tmp_path: Path) -> None:
    with building(tmp_path, PAGE, mended_page(), roles=PLAYERS) as project:
        before = as_left(project.folder)

        done = project.run(*begin_frontend(project), timeout=300)

        assert done.code == 0, done.out + done.err
        assert list(project.tasks()) == LOOP
        first, second = audit(project, "QA-FE-001", 1), audit(project, "QA-FE-002", 2)
        assert (first["verdict"], second["verdict"]) == ("NEEDS_FIX", "PASS")
        found = {each["rule"]: (each["path"], each["severity"], each["line"]) for each in first["findings"]}
        assert found == {
            "image_alt": ("index.html", "critical", 14),
            "control_label": ("index.html", "critical", 16),
            "axe:color-contrast": ("index.html", "high", 17),
        }
        assert first["browser"]["pages"] == ["index.html"] and second["findings"] == []
        for number, told in (("001-r1", first), ("002-r2", second)):
            pictures = told["browser"]["screens"]
            assert len(pictures) == 8, pictures
            after = [name for name in pictures if name.endswith("-after.png")]
            assert len(after) == 4 and all(f"QA-FE-{number}/" in name for name in after)
            assert all((project.directory() / name).read_bytes().startswith(PNG) for name in pictures)
        assert "Frontend PASS" in project.run("check").out
        assert project.rows(
            "SELECT type FROM messages WHERE type LIKE 'qa_fe_%' OR type = 'dev_fe_complete'"
        ) == [
            ("dev_fe_complete",),
            ("qa_fe_result",),
            ("dev_fe_complete",),
            ("qa_fe_passed",),
        ]
        assert 'alt="' in git(project.folder, "show", f"lifecycle/{project.session()}:index.html")
        assert_nothing_lost(project, before)


@pytest.mark.long
def test_what_the_second_round_leaves_open_is_a_persons_decision(tmp_path: Path) -> None:
    critic = Turn(answer={"findings": [claim("<button type", "the button"), claim("<blink>", "nothing")]})
    turns = {**mended_page(mends=False).turns, "audit": [critic]}
    players = {**PLAYERS, "fe-qa": "scripted"}
    with building(tmp_path, PAGE, Scenario(turns), roles=players, work=UNSERVED) as project:
        done = project.run(*begin_frontend(project), timeout=300)

        assert done.code == 3, done.out + done.err
        assert project.status() == ("paused", "revision_exhausted")
        failed = audit(project, "QA-FE-002", 2)
        assert [
            (each["line"], each["check"]) for each in failed["findings"] if each["source"] == "agent"
        ] == [(17, "experience")]
        assert [(each["text"], each["why"]) for each in failed["notes"]] == [
            ("nothing", "what it quotes is not in the file")
        ]
        assert (failed["verdict"], failed["round"]) == ("FAIL", 2)
        assert failed["browser"]["screens"] == [] and failed["browser"]["why_not"]
        shown = project.run("check").out
        assert "Frontend FAIL" in shown and "no browser" in " ".join(shown.split())
        told = project.run("check", "--json").json()
        assert told["audit"]["verdict"] == "FAIL" and told["audit"]["findings"] == {
            "critical": 2,
            "medium": 1,
        }

        asked = project.run("feedback", "Add alternative texts", timeout=300)

        assert asked.code == 3, asked.out + asked.err  # nothing was built anew: the verdict is still open
        assert project.status() == ("paused", "revision_exhausted")
        assert "QA-FE-002: FAIL" in project.run("check").out

        accepted = project.run("resume")

        assert accepted.code == 0, accepted.err
        assert project.status() == ("completed", None) and list(project.tasks()) == [*LOOP, "PLAN-001-R1"]
        invariants.check(project.database)


@pytest.mark.long
def test_both_sides_are_built_beside_each_other_and_the_review_waits_for_the_last_audit(
    tmp_path: Path,
) -> None:
    with building(tmp_path, BOTH_SIDES, mended_page(BOTH_SIDES), roles=PLAYERS) as project:
        before = as_left(project.folder)

        done = project.run(*begin_frontend(project, "fullstack"), timeout=400)

        assert done.code == 0, done.out + done.err
        assert set(project.tasks()) == {*LOOP, "IMPL-001", "TEST-001", "REVIEW-001", "TEST-001-R1"}
        ended = dict(project.rows("SELECT task_id, max(closed_at) FROM runs GROUP BY task_id"))
        begun = dict(project.rows("SELECT task_id, min(opened_at) FROM runs GROUP BY task_id"))
        ids = {key: id for id, key in project.rows("SELECT id, key FROM tasks")}
        assert begun[ids["REVIEW-001"]] >= ended[ids["QA-FE-002"]]
        (head,) = project.rows("SELECT head FROM works")[0]
        review = json.loads((project.directory() / "qa" / "review-REVIEW-001.json").read_text())
        assert review["subject"]["head"] == head
        last = json.loads((project.directory() / "qa" / "test-TEST-001-R1.json").read_text())
        assert last["subject"]["commit"] == head and last["verdict"] == "PASS"
        assert sorted(subjects(project))[:2] == ["A newsletter form", "Count the visitors"]
        assert_nothing_lost(project, before)


@pytest.mark.long
def test_files_of_the_backend_are_refused_to_the_frontend_developer(tmp_path: Path) -> None:
    page, counts = BOTH_SIDES.tasks
    mailer = {
        "path": "mailer.py",
        "action": "create",
        "change": "only if mails have to be counted",
    }  # never made
    fixture = replace(BOTH_SIDES, tasks=(page, {**counts, "files": [*counts["files"], mailer]}))
    turns = dict(mended_page(fixture).turns)
    (bad,) = turns["DEV-FE-001"]
    outside = replace(bad, patch={**bad.patch, "mailer.py": "send = print\n"})
    turns["DEV-FE-001"] = [outside, Turn({"mailer.py": None}, answer=bad.answer)]

    with building(tmp_path, fixture, Scenario(turns), roles=PLAYERS, work=UNSERVED) as project:
        done = project.run(*begin_frontend(project, "fullstack"), timeout=400)

        assert done.code == 0, done.out + done.err
        made = json.loads((project.directory() / "qa" / "impl-DEV-FE-001.json").read_text())
        assert made["turns"] == 2
        assert "mailer.py" not in [each["path"] for each in made["files"]]
        said = (tmp_path / "agent" / "state" / "calls.jsonl").read_text()
        assert "mailer.py is outside this task's part of the project" in said


@pytest.mark.long
def test_from_a_request_through_its_specification_to_both_sides(tmp_path: Path) -> None:
    with building(tmp_path, BOTH_SIDES, mended_page(BOTH_SIDES), roles=PLAYERS) as project:
        begun = project.run("start", BOTH_SIDES.request, "--mode", "full-lifecycle-fe", timeout=300)
        assert begun.code == 3, begun.out + begun.err
        assert project.status() == ("paused", "checkpoint")

        done = project.run("resume", timeout=500)

        assert done.code == 0, done.out + done.err
        assert audit(project, "QA-FE-002", 2)["verdict"] == "PASS"
        assert {"IMPL-001", "DEV-FE-001", "REVIEW-001", "QUALITY-001"} <= set(project.tasks())
        invariants.check(project.database)


@pytest.mark.long
def test_design_tokens_become_variables_that_the_audit_knows(tmp_path: Path) -> None:
    tokens = json.dumps({"color": {"ink": {"$value": "#222222"}, "page": {"$value": "#ffffff"}}})
    with_tokens = replace(
        PAGE, commits=({**PAGE.commits[0], "design-tokens.json": tokens}, *PAGE.commits[1:])
    )
    turns = dict(mended_page(with_tokens).turns)
    (good,) = turns["DEV-FE-002"]
    sheet = "body { color: var(--color-ink); background: var(--color-page) }\nbutton { color: var(--color-inc) }\n"
    turns["DEV-FE-001"] = [replace(good, patch={**with_tokens.gold["TASK-001"], "site.css": sheet})]
    turns["DEV-FE-001"] = [replace(turns["DEV-FE-001"][0], answer=with_tokens.answer("TASK-001"))]

    with building(tmp_path, with_tokens, Scenario(turns), roles=PLAYERS, work=UNSERVED) as project:
        done = project.run(*begin_frontend(project), timeout=300)

        assert done.code == 0, done.out + done.err
        told = audit(project, "QA-FE-001", 1)
        assert [(each["rule"], each["check"]) for each in told["findings"]] == [("unknown_token", "design")]
        assert told["scores"]["design"] == 7.5 and told["verdict"] == "PASS"
        css = git(project.folder, "show", f"lifecycle/{project.session()}:design-tokens.css")
        assert "--color-ink: #222222;" in css and "prefers-color-scheme: dark" in css
        prompts = (tmp_path / "agent" / "state" / "calls.jsonl").read_text()
        assert "design-tokens.css defines these variables" in prompts


KILLS = ["browser.seen", "browser.seen@2"]
REPORTS = [f"report.{when}_commit@{number}" for when in ("before", "after") for number in (2, 3, 4, 5)]


@pytest.mark.long
def test_work_that_a_person_revises_is_audited_in_both_rounds_again(tmp_path: Path) -> None:
    bad = patched(PAGE.files, PAGE.bad["TASK-001", "inaccessible"])["index.html"]
    good = str(whole(PAGE, "TASK-001")["index.html"])
    wanted = '"""The page thanks."""\n\nfrom pathlib import Path\n\n\ndef test_thanks():\n'
    wanted += "    assert 'Thanks.' in (Path(__file__).parent.parent / 'index.html').read_text()\n"
    thanks = {"index.html": with_thanks(bad), "tests/test_thanks.py": wanted}
    turns = {
        **mended_page().turns,
        "DEV-FE-001-R1": [Turn(thanks, answer=PAGE.answer("TASK-001"))],
        "DEV-FE-003": [Turn({"index.html": with_thanks(good)}, answer=MENDED)],
    }
    with building(tmp_path, PAGE, Scenario(turns), roles=PLAYERS, work=UNSERVED) as project:
        assert project.run(*begin_frontend(project), timeout=300).code == 0

        done = project.run("revise", "DEV-FE-001", "Thank whoever subscribes", timeout=300)

        assert done.code == 0, done.out + done.err
        assert list(project.tasks()) == [*LOOP, "DEV-FE-001-R1", "QA-FE-002-R1", "DEV-FE-003", "QA-FE-003"]
        again, last = audit(project, "QA-FE-002-R1", 1), audit(project, "QA-FE-003", 2)
        assert (again["verdict"], last["verdict"]) == ("NEEDS_FIX", "PASS")
        invariants.check(project.database)


def with_thanks(page: str) -> str:
    return page.replace("</body>", "<p>Thanks.</p>\n</body>")


@with_browser
@pytest.mark.long
@pytest.mark.parametrize("name", KILLS)
def test_kill_everything_while_a_browser_looks_then_resume_audits_once(tmp_path: Path, name: str) -> None:
    _kill_and_resume(tmp_path, name)


@pytest.mark.long
@pytest.mark.parametrize("name", REPORTS)
def test_kill_everything_at_a_report_of_the_loop_then_resume_makes_each_round_once(
    tmp_path: Path, name: str
) -> None:
    _kill_and_resume(tmp_path, name, UNSERVED)


def _kill_and_resume(folder: Path, name: str, work: str = "") -> None:
    with building(folder, PAGE, mended_page(), roles=PLAYERS, work=work) as project:
        before = as_left(project.folder)
        announce = folder / "announced"
        project.spawn(*begin_frontend(project), env={"LIFECYCLE_FAILPOINT": f"{name}=wait:{announce}"})
        project.wait(
            lambda: announce.exists() and announce.read_text().endswith("\n"), f"{name} is reached", 180
        )

        assert project.kill_everything()
        assert_nothing_lost(project, before)
        done = project.run("resume", project.session(), timeout=300)

        assert done.code in (0, 2), done.err  # 2: it was completed before
        project.wait(lambda: project.status() == ("completed", None), "the session is completed")
        assert list(project.tasks()) == LOOP
        for key in LOOP:
            story = project.story(key)
            assert story[-1] == "completed" and set(story[:-1]) <= {"lost"}, f"{key}: {story}"
        assert project.rows("SELECT count(*) FROM messages WHERE type = 'audit_round'") == [(1,)]
        assert project.rows("SELECT count(*) FROM verdicts WHERE kind = 'review'") == [(2,)]
        assert_nothing_lost(project, before)
        project.wait(lambda: not project.marked(), "no process of a run lives on", 15)
