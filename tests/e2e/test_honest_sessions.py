"""Honest judging stalls no session without a model: each real request ends without a revision that nobody can mend."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.corpus.labelled import HERE, paths
from tests.e2e.support import lifecycle

ROOT = Path(__file__).parents[2]
IDEAS = ROOT / "tests" / "data" / "ideas"
REQUESTS = [*(f"@{path}" for path in paths(HERE)), *(f"@{path}" for path in sorted(IDEAS.glob("*.md")))]
ONE_LINERS = [line for line in (IDEAS / "one-liners.txt").read_text().splitlines() if line]


def ends_well(request: str, folder: Path) -> None:
    with lifecycle(folder) as life:
        life.run("start", request, timeout=600)

        ((status, pause),) = life.rows("SELECT status, pause_reason FROM sessions")
        assert (status, pause) in (("completed", None), ("paused", "signoff_blocked"))


def test_one_line_ends_without_a_pause(tmp_path: Path) -> None:
    ends_well(ONE_LINERS[0], tmp_path / "p")


def test_one_line_is_not_passed_and_the_screen_says_what_is_missing_and_who_judged(tmp_path: Path) -> None:
    with lifecycle(tmp_path / "p") as life:
        started = life.run("start", "Fix the login page", timeout=600)
        check, shown = life.run("check"), life.run("check", "--json").json()
        discussed = life.run("discuss")
        signed = life.run("discuss", "DISCUSS-006", "--json").json()
        advised = life.run("advise", "Is the login page the right place?", timeout=600)
        advice = life.run("check", "--json").json()["advice"]
        report = life.run("artifacts", "readiness-report.md", "--print").out

    needs = shown["scores"]["pass_needs"]
    assert shown["scores"]["gate"] == "REVIEW"
    assert needs.startswith("PASS needs ") and "2 of 3 goals and requirements are proposals" in needs
    assert shown["scores"]["basis"] == {
        "given": 1,
        "proposed": 2,
        "open": ["why", "who", "measure", "bounds"],
    }
    assert "".join(needs.split()) in "".join(check.out.split())
    assert needs.partition(" (`")[0] in report
    assert "by rules alone" in started.err and "(by rules alone)" in discussed.out
    assert signed["by_rules"] is True
    assert "(by rules alone)" in advised.out
    assert [each["by_rules"] for each in advice] == [True]


@pytest.mark.long
def test_what_a_person_approved_is_given_when_it_is_scored_again(tmp_path: Path) -> None:
    with lifecycle(tmp_path / "p") as life:
        life.run("start", "Fix the login page", "--mode", "full-lifecycle", "--yes", timeout=600)
        shown = life.run("check", "--json").json()["scores"]
        life.run("resume", timeout=600)
        life.run("recheck", timeout=600)
        again = life.run("check", "--json").json()["scores"]

    assert (shown["basis"]["given"], shown["basis"]["proposed"]) == (1, 2)
    assert (again["basis"]["given"], again["basis"]["proposed"]) == (3, 0)
    assert again["score"] > shown["score"] and again["gate"] == "REVIEW"


def test_what_a_person_said_in_an_earlier_round_stays_a_source(tmp_path: Path) -> None:
    with lifecycle(tmp_path / "p") as project:
        for command in (
            ("start", "Build a URL shortener with an admin dashboard"),
            ("revise", "DRAFT-002", "Links must expire after 37 days"),
            ("feedback", "Users: marketing staff. Goal: 95 % of links open in 200 ms."),
        ):
            done = project.run(*command)
            assert done.code == 0, done.err

        assert "37 days" in (project.directory() / "spec" / "requirements" / "_index.md").read_text()
        found = [text for (text,) in project.rows("SELECT text FROM findings")]
        assert found and not [text for text in found if "no source" in text]


@pytest.mark.long
@pytest.mark.parametrize("request_text", [*REQUESTS, *ONE_LINERS, f"@{ROOT / 'README.md'}"])
def test_request_ends_without_revisions_exhausted(request_text: str, tmp_path: Path) -> None:
    ends_well(request_text, tmp_path / "p")
