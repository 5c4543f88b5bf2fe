"""start asks on a terminal what the request leaves open, and takes over what another session knows."""

from __future__ import annotations

import json
from pathlib import Path

from tests.e2e.support import lifecycle
from tests.e2e.terminal import on_a_terminal

TASK = "Build a URL shortener with an admin dashboard"


def test_answers_on_a_terminal_become_part_of_the_request_and_decisions(tmp_path: Path) -> None:
    with lifecycle(tmp_path / "p") as life:
        typed = [
            b"links can be counted\n",
            b"\n",
            b"no payment\n",
            b"\x04",
        ]  # Enter skips one, Ctrl-D the rest

        shown, code = on_a_terminal(life, "start", TASK, dialogue=[(b"     > ", each) for each in typed])

        assert code == 0, shown
        assert "1/5  What should be better once it is there?" in shown and "5/5" not in shown
        (request,) = life.rows("SELECT request FROM sessions")[0]
        assert request.startswith(f"{TASK}\n\n## Clarified before the start\n")
        assert "### Goals\n\n- links can be counted\n" in request and "### Users" not in request
        decided = life.rows("SELECT subject, words FROM decisions ORDER BY id")
        assert decided == [
            ("clarified goal", "What should be better once it is there? links can be counted"),
            ("clarified scope", "What should the first version leave out? no payment"),
        ]
        session = life.rows("SELECT id FROM sessions")[0][0]
        brief = (life.directory(session) / "spec/product-brief.md").read_text()
        assert "links can be counted" in brief and "no payment" in brief.lower()
        discovery = json.loads((life.directory(session) / "spec/discovery-context.json").read_text())
        assert any("Who uses" in row["text"] for row in discovery["open_questions"])


def test_interrupted_questions_make_nothing(tmp_path: Path) -> None:
    with lifecycle(tmp_path / "p") as life:
        dialogue = [(b"     > ", b"links can be counted\n"), (b"2/5", b"\x03")]

        shown, code = on_a_terminal(life, "start", TASK, dialogue=dialogue)

        assert code == 130 and "nothing was begun" in shown and "lifecycle resume" not in shown
        assert not (life.folder / ".workflow" / "lifecycle.db").exists()


def test_a_session_is_given_what_another_one_knows(tmp_path: Path) -> None:
    with lifecycle(tmp_path / "p") as life:
        assert life.run("start", TASK).code == 0
        (first,) = (row[0] for row in life.rows("SELECT id FROM sessions"))
        assert life.run("revise", "DRAFT-001", "Links are lower case", "--session", first).code == 0

        again = life.run("start", "Build a QR code maker for the links", "--from", first, "--json")
        unknown = life.run("start", "Count the visits of a link", "--from", "TLS-none")

        assert again.code == 0, again.err
        second = json.loads(again.out)["session"]
        decided = (life.directory(second) / "wisdom/decisions.md").read_text()
        assert f"from {first}: revise DRAFT-001: Links are lower case" in decided
        assert f"from {first}: " in (life.directory(second) / "wisdom/learnings.md").read_text()
        assert unknown.code == 2 and "TLS-none" in unknown.err
        assert len(life.rows("SELECT id FROM sessions")) == 2


def test_continue_means_resume(tmp_path: Path) -> None:
    with lifecycle(tmp_path / "p") as life:
        gave = life.run("continue", "TLS-none")

        assert gave.code == 2 and "no sessions here" in gave.err
