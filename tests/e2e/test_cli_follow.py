"""Following: the real command, the real coordinator, the real worker host, from the task to the report."""

from __future__ import annotations

import json
import os
import signal
from pathlib import Path

from tests.e2e.support import Lifecycle, agent_toml, lifecycle
from tests.e2e.terminal import on_a_terminal
from tests.e2e.test_bad_disk import Gate

TASK = "Build a URL shortener with an API and a dashboard for administrators"


def completed(life: Lifecycle) -> bool:
    return bool(life.database.exists() and life.rows("SELECT 1 FROM sessions WHERE status = 'completed'"))


def test_start_follows_to_the_report_and_its_files_are_there(tmp_path: Path) -> None:
    with lifecycle(tmp_path / "p") as life:
        done = life.run("start", TASK)

        assert done.code == 0, done.err
        assert "Mode    spec-only" in done.err
        assert "[writer] DRAFT-004" in done.err
        assert "Documents in" in done.out
        assert "Quality" in done.out
        listed = [line.split()[0] for line in done.out.splitlines() if line.startswith("  spec/")]
        assert listed
        assert [path for path in listed if not (life.directory() / path).is_file()] == []


def test_the_report_is_json_too(tmp_path: Path) -> None:
    with lifecycle(tmp_path / "p") as life:
        done = life.run("start", TASK, "--json")

        found = done.json()
        assert (found["status"], found["exit_code"], done.code) == ("completed", 0, 0)
        assert found["report"]["progress"] == {
            "done": 6,
            "total": 6,
            "percent": 100,
            "skipped": 0,
            "cancelled": 0,
        }
        assert {each["path"] for each in found["report"]["deliverables"]} >= {
            "spec/product-brief.md",
            "spec/spec-summary.md",
        }
        assert [each["command"].split()[1] for each in found["report"]["next"]] == [
            "revise",
            "feedback",
            "recheck",
            "improve",
        ]


def test_the_same_key_makes_one_session(tmp_path: Path) -> None:
    with lifecycle(tmp_path / "p") as life:
        one, two, other = (
            life.run("start", task, "--key", "k-1", "--detach")
            for task in (TASK, TASK, "Something else altogether")
        )

        assert (one.code, two.code, other.code) == (0, 0, 2)
        assert one.out == two.out
        assert len(life.run("list", "--json").json()) == 1


def test_detached_work_is_finished_without_us(tmp_path: Path) -> None:
    with lifecycle(tmp_path / "p") as life:
        done = life.run("start", TASK, "--detach")

        assert done.code == 0
        assert done.out.strip() == life.session()
        life.wait(lambda: completed(life), "the session is completed")


def test_ctrl_c_leaves_the_session_running_and_says_how_to_come_back(tmp_path: Path) -> None:
    with lifecycle(tmp_path / "p") as life:
        following = life.spawn("start", TASK)
        life.wait(lambda: life.database.exists() and life.rows("SELECT 1 FROM runs"), "a run is open")

        following.send_signal(signal.SIGINT)
        _, said = following.communicate(timeout=30)

        assert following.returncode == 130
        assert "lifecycle resume" in said
        assert "Traceback" not in said
        life.wait(lambda: completed(life), "the session is completed")


def test_a_coordinator_that_dies_is_started_again_by_who_follows(tmp_path: Path) -> None:
    with lifecycle(tmp_path / "p") as life:
        following = life.spawn("start", TASK)
        first = life.wait(
            lambda: life.database.exists() and life.rows("SELECT pid FROM leases"), "a coordinator leads"
        )[0][0]

        os.kill(first, signal.SIGKILL)
        out, said = following.communicate(timeout=120)

        assert following.returncode == 0, said
        assert "Documents in" in out


def test_a_session_that_waits_for_a_person_exits_3_and_names_the_ways_on(tmp_path: Path) -> None:
    extra = agent_toml("broken", ["false"]) + '\n[roles]\nanalyst = ["broken"]\n'
    with lifecycle(tmp_path / "p", {"max_attempts": 1}, extra) as life:
        done = life.run("start", TASK)

        assert done.code == 3, done.err
        assert "Waiting for you: task_failed" in done.out
        assert "lifecycle resume --skip RESEARCH-001" in done.out
        assert life.run("check").code == 0


def test_a_session_without_a_usable_agent_exits_4(tmp_path: Path) -> None:
    extra = agent_toml("absent", ["no-such-program-anywhere"]) + '\n[roles]\nanalyst = ["absent"]\n'
    with lifecycle(tmp_path / "p", None, extra) as life:
        done = life.run("start", TASK)

        assert done.code == 4, done.out + done.err
        assert "agent_unavailable" in done.out


def at_the_gate(life: Lifecycle) -> bool:
    """Whether an agent has the session in its hands."""
    return life.database.exists() and len(life.marked()) >= 2


def test_pause_ends_the_following_with_3_and_resume_goes_on_to_the_end(tmp_path: Path) -> None:
    gate = Gate(tmp_path)
    with lifecycle(tmp_path / "p", None, gate.toml) as life:
        following = life.spawn("start", TASK)
        life.wait(lambda: at_the_gate(life), "the agent runs")

        paused = life.run("pause")
        following.communicate(timeout=60)
        gate.open()
        resumed = life.run("resume")

        assert (paused.code, following.returncode, resumed.code) == (0, 3, 0), resumed.err
        assert completed(life)


def test_cancel_ends_the_following_with_1(tmp_path: Path) -> None:
    with lifecycle(tmp_path / "p", None, Gate(tmp_path).toml) as life:
        following = life.spawn("start", TASK)
        life.wait(lambda: at_the_gate(life), "the agent runs")

        life.run("cancel")
        out, _ = following.communicate(timeout=60)

        assert following.returncode == 1
        assert "cancelled" in out


def test_rework_is_followed_from_where_it_begins(tmp_path: Path) -> None:
    with lifecycle(tmp_path / "p") as life:
        life.run("start", TASK)

        done = life.run("recheck")

        assert done.code == 0, done.err
        assert "QUALITY-001-R1" in done.err
        assert "created:" not in done.err


def test_on_a_terminal_progress_moves_and_leaves_no_trace(tmp_path: Path) -> None:
    with lifecycle(tmp_path / "p") as life:
        shown, code = on_a_terminal(life, "start", TASK, "--yes")

        assert code == 0, shown
        assert "\x1b[2K" in shown  # a line was drawn over
        assert "Documents in" in shown
        assert "\x1b[?25h" in shown  # the cursor is back


def test_log_follows_until_the_end(tmp_path: Path) -> None:
    with lifecycle(tmp_path / "p") as life:
        life.run("start", TASK, "--detach")

        done = life.run("log", "-f", "--json")

        assert done.code == 0, done.err
        lines = [json.loads(line) for line in done.out.splitlines()]
        assert [line["id"] for line in lines] == [f"MSG-{n:03d}" for n in range(1, len(lines) + 1)]
        assert "completed" in {line["type"] for line in lines}
