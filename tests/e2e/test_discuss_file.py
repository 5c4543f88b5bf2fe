"""A file of one's own is discussed: by the perspectives that the caller names, going on from earlier discussions of it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests import invariants
from tests.e2e.support import Lifecycle
from tests.e2e.test_kill import stop_at

OPEN = (
    "# Queue\n\nWe use a queue between the shop and the depot. TODO: decide which one.\n\n"
    "- The queue keeps messages for 7 days.\n- A failed message is tried 3 times.\n\nIs ordering needed?\n"
)
CLOSED = OPEN.replace("TODO: decide which one.", "It is the one that the shop has already.")


def write(project: Lifecycle, text: str, name: str = "docs/queue.md") -> str:
    file = project.folder / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")
    return name


def record(project: Lifecycle) -> str:
    [file] = (project.directory() / "discussions").glob("*.md")
    return file.read_text(encoding="utf-8")


def section(text: str, name: str) -> str:
    return text.partition(f"<!-- section: {name} -->")[2].partition("<!-- section:")[0]


def test_a_blocked_discussion_waits_and_the_next_one_goes_on_from_its_record(project: Lifecycle) -> None:
    name = write(project, OPEN)
    before = (project.folder / name).read_bytes()

    blocked = project.run("discuss", name, "--perspectives", "feasibility,clarity,risk")

    assert blocked.code == 3, blocked.err
    assert project.status() == ("paused", "discussion_blocked")
    assert "A placeholder was left in: TODO" in blocked.out and "--decide" in blocked.out
    early = project.run("discuss", "D1")
    assert early.code == 2 and "DISCUSS-001 waits for your decision" in early.err
    decided = project.run("resume", "--decide", "the shop's queue it is")
    assert decided.code == 0, decided.err
    assert "discussions/DISCUSS-001-discussion.md" in decided.out.partition("Next")[0]
    assert "feedback" not in decided.out, "there is no document to revise"
    assert project.run("open", "DISCUSS-001", "--print").out.strip() == record(project).strip()
    text = record(project)
    assert "> the shop's queue it is" in section(text, "decision")
    assert "decide_discussion DISCUSS-001" in section(text, "decision_log")
    assert section(text, "sentiment").split()[-1] == "concerns"
    assert "- Is ordering needed?" in text
    first = project.session()

    write(project, CLOSED)
    again = project.run("discuss", name, "--perspectives", "feasibility,clarity,risk")

    assert again.code == 0, again.err
    assert project.session() != first
    text = record(project)
    assert "earlier/discussion-1.md" in section(text, "previous_rounds")
    assert "the shop's queue it is" in (project.directory() / "earlier/discussion-1.md").read_text()
    assert section(text, "sentiment").split()[-1] in ("positive", "neutral")
    assert (project.folder / name).read_bytes() != before, (
        "the file is the user's, and only the user wrote it"
    )
    invariants.check(project.database)


def test_a_name_that_is_a_round_and_a_file_has_to_be_told_apart(project: Lifecycle) -> None:
    write(project, CLOSED, "2")

    both = project.run("discuss", "2")
    file = project.run("discuss", "./2", "--perspectives", "clarity", "--json")
    rounds = project.run("discuss", "DISCUSS-001", "--json")

    assert both.code == 2 and "`lifecycle discuss ./2`" in both.err and "DISCUSS-002" in both.err
    assert file.code == 0, file.err
    assert rounds.json()["ratings"][0]["perspective"] == "clarity"


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["docs/queue.md", "--perspectives", "elegance"], "unknown perspective 'elegance'"),
        (["docs/queue.md", "--perspectives", "coverage"], "coverage cannot discuss"),
        (["docs/queue.md", "--perspectives", ","], "names nobody"),
        (["docs/queue.md", "--agent", "nobody"], "unknown agent 'nobody'"),
        (["docs/none.md"], "cannot read"),
        (["docs"], "is not a file"),
        (["./binary"], "is not UTF-8"),
        (["./fifo"], "is not a file"),
        (["./large"], "too large"),
        (["./blank"], "is empty"),
        (["docs/queue.md", "--all"], "exclude each other"),
    ],
)
def test_what_cannot_be_discussed_is_refused_and_nothing_is_made(
    project: Lifecycle, arguments: list[str], told: str
) -> None:
    write(project, CLOSED)
    (project.folder / "binary").write_bytes(b"\xff\xfe\x00")
    (project.folder / "large").write_bytes(b"a" * (1024 * 1024 + 1))
    (project.folder / "blank").write_text(" \n---\n")
    os.mkfifo(project.folder / "fifo")

    refused = project.run("discuss", *arguments)

    assert refused.code == 2, refused.out
    assert told in refused.err
    assert not project.database.exists()


@pytest.mark.long
@pytest.mark.parametrize(
    "name", ["start.after_commit", "produced.registered", "discuss.reply_stored", "report.before_commit"]
)
def test_kill_a_discussion_then_resume_holds_it_once(project: Lifecycle, name: str, tmp_path: Path) -> None:
    file = write(project, CLOSED)
    stop_at(project, name, "discuss", file)
    project.kill_everything()
    invariants.check(project.database)

    project.run("resume")

    assert project.status() == ("completed", None)
    assert project.rows("SELECT count(*) FROM verdicts") == [(1,)]
    invariants.check(project.database)


def test_a_name_that_a_terminal_would_obey_is_shown_as_text_on_one_line(project: Lifecycle) -> None:
    name = write(project, CLOSED, "a\x1b[31mred\nsecond line.md")

    told = project.run("discuss", name, "--perspectives", "clarity")

    assert told.code == 0, told.err
    assert "\x1b" not in told.out + told.err
    assert r"a\x1b[31mred second line.md is discussed from clarity" in told.out + told.err
