"""The small things of the command line, as plain values."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from orchestrator.cli.follow import event_line
from orchestrator.cli.main import _take_debug
from orchestrator.cli.options import exclude, one_session
from orchestrator.cli.output import (
    bar,
    broken,
    cells,
    clip,
    duration,
    money,
    money_in_words,
    progress,
    shorten,
    table,
)
from orchestrator.cli.report import about, grouped
from orchestrator.cli.tasks import _print_refused
from orchestrator.domain.errors import UsageError
from orchestrator.views.discuss import _round
from orchestrator.views.session_line import progress as progress_of


@pytest.mark.parametrize(
    ("seconds", "shown"),
    [
        (0, "0s"),
        (-3, "0s"),
        (59.9, "59s"),
        (60, "1m 00s"),
        (728, "12m 08s"),
        (3600, "1h 00m"),
        (187_200, "2d 04h"),
    ],
)
def test_durations_are_short(seconds: float, shown: str) -> None:
    assert duration(seconds) == shown


@pytest.mark.parametrize(
    ("percent", "shown"),
    [(0, "----------"), (40, "####------"), (100, "##########"), (250, "##########"), (-1, "-" * 10)],
)
def test_bars_stay_inside(percent: float, shown: str) -> None:
    assert bar(percent, 10) == shown


@pytest.mark.parametrize(
    ("usd", "unpriced", "shown", "words"),
    [
        (0.0, 0, "$0.00", "$0.00"),
        (0.414, 0, "$0.41", "$0.41"),
        (0.41, 1, "$0.41+", "at least $0.41, 1 call of unknown price"),
        (0.0, 3, "unknown", "3 calls of unknown price"),
    ],
)
def test_money_says_when_it_is_not_all(usd: float, unpriced: int, shown: str, words: str) -> None:
    cost = {"usd": usd, "unpriced": unpriced}

    assert money(cost) == shown
    assert money_in_words(cost) == words


@pytest.mark.parametrize(
    ("text", "columns", "shown"),
    [
        ("TLS-short-2026-11-22", 40, "TLS-short-2026-11-22"),
        ("TLS-build-a-url-shortener-2026-11-22", 30, "TLS-build-a-url-sh…-2026-11-22"),
        ("TLS-build-a-url-shortener-2026-11-22-3", 30, "TLS-build-a-url-…-2026-11-22-3"),
        ("TLS-短链接服务短链接服务-2026-11-22", 24, "TLS-短链接服…-2026-11-22"),
    ],
)
def test_an_id_is_shortened_in_the_middle_and_keeps_its_date(text: str, columns: int, shown: str) -> None:
    found = shorten(text, columns)

    assert found == shown
    assert cells(found) <= columns


@pytest.mark.parametrize("columns", [6, 13, 20, 40])
@pytest.mark.parametrize(
    "text",
    [
        "",
        "one line that is longer than it may be, with averyveryverylongwordthatnobodycanbreak in it",
        "短链接服务必须在三十天后过期 并且可以导出",
        "lifecycle resume --session TLS-build-a-url-shortener-with-much-2026-11-22",
    ],
)
def test_no_broken_line_is_wider_than_it_may_be_and_no_word_is_lost(text: str, columns: int) -> None:
    lines = broken(text, columns)

    assert all(cells(line) <= columns for line in lines)
    if "TLS-" not in text:
        assert "".join("".join(lines).split()) == "".join(text.split())


def test_a_narrow_event_line_keeps_the_mean_of_a_verdict_by_rules_alone() -> None:
    said = (
        "[reviewer] QUALITY-001 complete. Discuss DISCUSS-006: consensus_reached (mean=4.6, by rules alone)"
    )
    row = SimpleNamespace(at=0, summary=said, kind="message", type="quality_result")

    assert (
        event_line(row, 79)[len("00:00:00 ") :].strip() == "[reviewer] QUALITY-001 complete. D6 reached 4.6"
    )


@pytest.mark.parametrize(
    ("columns", "shown"),
    [
        (120, "[writer] DRAFT-002-R1 complete. Discuss DISCUSS-003: consensus_blocked (severity=HIGH)"),
        (79, "[writer] DRAFT-002-R1 complete. D3 blocked HIGH"),
        (39, "[writer] DRAF… D3 blocked HIGH"),
    ],
)
def test_an_event_line_keeps_verdict_and_severity(columns: int, shown: str) -> None:
    said = (
        "[writer] DRAFT-002-R1 complete. Discuss DISCUSS-003: consensus_blocked (severity=HIGH)\nDivergences:"
    )
    row = SimpleNamespace(at=0, summary=said, kind="message", type="draft_revision")

    line = event_line(row, columns, whole=False)

    assert line[len("00:00:00 ") :] == shown
    assert cells(line) <= columns


@pytest.mark.parametrize(
    ("counts", "shown", "percent"),
    [
        ({"completed": 6}, "6/6", 100),
        ({"completed": 2, "cancelled": 4}, "2/6, 4 cancelled", 33),
        ({"cancelled": 6}, "0/6, 6 cancelled", 0),
        ({"completed": 5, "skipped": 1}, "5/5, 1 skipped", 100),
        ({"completed": 1, "skipped": 1, "pending": 2}, "1/3, 1 skipped", 33),
        ({"skipped": 2}, "0/0, 2 skipped", 0),
    ],
)
def test_progress_counts_what_is_completed(counts: dict[str, int], shown: str, percent: int) -> None:
    found = progress_of(counts)

    assert progress(found) == shown
    assert found["percent"] == percent


def test_wide_characters_take_two_columns() -> None:
    assert cells("短链接") == 6
    assert clip("短链接服务", 7) == "短链接…"
    assert cells(clip("短链接服务", 6)) <= 6


def test_text_is_cut_and_made_inert_on_one_line() -> None:
    assert clip("a\x1b[31mb\nc", 100) == "a\\x1b[31mb c"


@pytest.mark.parametrize(
    ("given", "debug", "left"),
    [
        (["check", "--debug"], True, ["check"]),
        (["--debug", "check"], True, ["check"]),
        (["feedback", "--", "--debug"], False, ["feedback", "--", "--debug"]),
        (["check"], False, ["check"]),
    ],
)
def test_debug_may_stand_anywhere_before_the_double_dash(
    given: list[str], debug: bool, left: list[str]
) -> None:
    assert _take_debug(given) == (debug, left)


def test_the_same_session_may_be_named_twice() -> None:
    assert one_session("TLS-a", "TLS-a") == "TLS-a"
    assert one_session(None, "TLS-a") == "TLS-a"
    assert one_session(None, None) is None


def test_contradicting_flags_are_both_named() -> None:
    with pytest.raises(UsageError, match="--plan and --detach"):
        exclude(plan=True, detach=True)


def test_files_beside_an_index_are_counted() -> None:
    paths = [
        "spec/a.md",
        "spec/requirements/REQ-001.md",
        "spec/requirements/_index.md",
        "spec/requirements/REQ-002.md",
    ]

    assert grouped(paths) == [("spec/a.md", 0), ("spec/requirements/_index.md", 2)]


def test_what_a_pause_is_about_is_inert() -> None:
    lines = about(
        {
            "task": "DRAFT-001",
            "error": "bad\x1b[2J\nnews",
            "options": [{"label": "one"}, "two"],
            "unmet": ["x"],
        }
    )

    assert lines == ["task: DRAFT-001", "error: bad\\x1b[2J news", "- x", "option: one", "option: two"]


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("2", "DISCUSS-002"),
        ("D2", "DISCUSS-002"),
        ("discuss-006", "DISCUSS-006"),
        ("x", "X"),
        ("²", "²"),
        ("99999", "99999"),
    ],
)
def test_a_round_has_short_names(name: str, key: str) -> None:
    assert _round(name) == key


def test_a_table_is_cut_to_the_width_of_a_terminal_and_whole_in_a_pipe(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    error = "the change was refused by its checks: " + "x" * 300
    monkeypatch.delenv("COLUMNS", raising=False)
    table(("RUN", "ERROR"), [("1", error)])
    piped = capsys.readouterr().out
    monkeypatch.setenv("COLUMNS", "80")
    table(("RUN", "ERROR"), [("1", error)])

    assert error in piped
    assert "x" * 300 not in capsys.readouterr().out


def test_what_refused_a_turn_is_shown_with_the_end_of_what_the_tests_printed(
    capsys: pytest.CaptureFixture[str],
) -> None:
    finding = {"path": "tests/test_a.py", "text": "test_a is new and fails", "rule": "new_test_fails"}
    printed = "\n".join(f"line {number}" for number in range(1, 31))

    _print_refused(
        "0123456789abcdef", {"turn": 2, "agent": "coder", "findings": [finding], "printed": printed}
    )

    shown = capsys.readouterr().out
    assert "89abcdef, turn 2 of coder was refused:" in shown
    assert "  tests/test_a.py: test_a is new and fails (new_test_fails)" in shown
    assert "  | line 30" in shown and "line 10\n" not in shown
