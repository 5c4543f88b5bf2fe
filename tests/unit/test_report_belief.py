"""When the report of a test run is believed, and what it then says."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from orchestrator.domain.evidence import TestRun
from workers.evidence.cases import Cases
from workers.evidence.compiled_runners import Cargo, Go, Maven, OwnCommand
from workers.evidence.execution import Executed
from workers.evidence.report_files import UnbelievableReport, read_report_file
from workers.evidence.reports import read_report, report_path

OWN = OwnCommand(Path("/nowhere"), command=("check", "{report}"))
SUITE = '<testsuite name="s">{}</testsuite>'


def outcomes(cases: Cases) -> dict[str, str]:
    return {id: case.outcome for id, case in cases.by_id.items()}


def write_report(folder: Path, text: str = SUITE.format('<testcase classname="c" name="n"/>')) -> Path:
    path = report_path(folder)
    path.write_text(text)
    return path


def test_reports_are_regular_files_written_by_this_run(tmp_path: Path) -> None:
    def fault(path: Path, since: float = 0.0, limit: int = 1000) -> str:
        with pytest.raises(UnbelievableReport) as caught:
            read_report_file(path.parent, path.name, since, limit)
        return str(caught.value)

    good = write_report(tmp_path)
    os.utime(good, (100, 100))
    (tmp_path / "link").symlink_to(good)
    os.mkfifo(tmp_path / "fifo")
    (tmp_path / "folder").mkdir()

    assert read_report_file(tmp_path, good.name, since=100)
    assert fault(good, since=101) == "its report is older than the run"
    assert fault(good, limit=10).startswith("its report is larger than")
    assert fault(tmp_path / "link").startswith("its report cannot be opened")
    assert fault(tmp_path / "fifo") == "its report is not a regular file"
    assert fault(tmp_path / "folder") == "its report is not a regular file"
    assert fault(tmp_path / "none") == "it wrote no report"


def believed(folder: Path, text: str | None, expected: tuple[str, ...] = (), **executed: object) -> TestRun:
    report = write_report(folder, text) if text is not None else report_path(folder)
    done = Executed(**{"exit": 0, "out": "", "err": "", **executed})  # type: ignore[arg-type]
    return read_report(OWN, report, done, started=0.0, expected=expected)


GOOD = SUITE.format('<testcase classname="c" name="n"/>')
BAD = SUITE.format('<testcase classname="c" name="n"><failure message="no"/></testcase>')
BELIEF: dict[str, tuple[str | None, dict[str, object], str]] = {
    "good": (GOOD, {}, ""),
    "failed, and says so": (BAD, {"exit": 1}, ""),
    "no report": (None, {}, "it wrote no report"),
    "zero tests": ("<testsuites/>", {}, "it ran no test"),
    "zero tests, with a status": ("<testsuites/>", {"exit": 5}, "it ran no test"),
    "a good status after a failure": (BAD, {}, "it ended with status 0 although tests failed"),
    "a bad status without a failure": (GOOD, {"exit": 3}, "it ended with status 3 although no test failed"),
    "killed": (GOOD, {"exit": None}, "it was killed by a signal"),
    "stopped": (GOOD, {"exit": None, "ended_by": "total"}, "it did not end by itself: it took too long"),
    "an expected test is absent": (
        GOOD,
        {"expected": ("c::n", "c::gone", "c::away")},
        "2 of 3 expected tests are not in its report: c::gone, c::away",
    ),
}


@pytest.mark.parametrize("case", BELIEF)
def test_a_report_is_believed_only_if_everything_agrees(case: str, tmp_path: Path) -> None:
    text, given_, fault = BELIEF[case]

    run = believed(tmp_path, text, **given_)  # type: ignore[arg-type]

    assert run.faults == ((fault,) if fault else ())


def test_a_report_from_before_the_run_is_not_believed(tmp_path: Path) -> None:
    report = write_report(tmp_path)
    written = report.stat().st_mtime

    run = read_report(OWN, report, Executed(0, "", ""), started=written + 1)

    assert run.faults == ("its report is older than the run",)
    assert run.outcomes == {}


def test_a_command_without_a_report_is_judged_as_a_whole(tmp_path: Path) -> None:
    runner = OwnCommand(tmp_path, command=("make", "check"))

    good = read_report(runner, tmp_path / "none", Executed(0, "fine", ""), started=0.0)
    bad = read_report(runner, tmp_path / "none", Executed(2, "", "no"), started=0.0)

    assert (good.outcomes, good.faults) == ({"test command::make check": "passed"}, ())
    assert (bad.outcomes, bad.faults) == ({"test command::make check": "failed"}, ())
    assert (good.messages, bad.messages) == ({}, {"test command::make check": "no"})


def test_reports_below_the_tree_are_found_without_following_links(tmp_path: Path) -> None:
    outside, tree = tmp_path / "outside", tmp_path / "tree"
    (outside / "surefire-reports").mkdir(parents=True)
    (outside / "surefire-reports/TEST-x.xml").write_text(BAD)
    (tree / "core/target/surefire-reports").mkdir(parents=True)
    (tree / "core/target/surefire-reports/TEST-a.xml").write_text(GOOD)
    (tree / "target").symlink_to(outside)
    (tree / "core/target/surefire-reports/TEST-b.xml").symlink_to(outside / "surefire-reports/TEST-x.xml")

    found = Maven(tree).parse(tmp_path / "unused", "", "", 0.0)

    assert (outcomes(found), found.faults) == ({"core/c::n": "passed"}, ())


def test_the_tail_of_what_was_printed_is_harmless_and_bounded(tmp_path: Path) -> None:
    run = believed(tmp_path, GOOD, out="x" * 1_000_000, err="\x1b[2Jend")

    assert run.tail.endswith("\\x1b[2Jend")
    assert len(run.tail) < 5_000


def test_what_does_not_load_or_build_fails_its_expected_tests(tmp_path: Path) -> None:
    wanted = ("a.py::x", "b.py::y")
    built = Executed(101, "", "error: could not compile `ledger`\n", 0.0)

    package = read_report(
        Go(tmp_path),
        tmp_path / "none",
        Executed(1, '{"Action":"fail","Package":"example.com/m/broken"}', ""),
        started=0.0,
        expected=["example.com/m/broken::TestX"],
    )
    build = read_report(Cargo(tmp_path), tmp_path / "none", built, started=0.0, expected=wanted)

    assert (package.outcomes["example.com/m/broken::TestX"], package.faults) == ("error", ())
    assert (build.outcomes, build.faults) == ({"the build": "error", **dict.fromkeys(wanted, "error")}, ())
