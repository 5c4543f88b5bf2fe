"""The analyze modes as a user runs them: a project, no agent, and lines that are there."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from orchestrator.domain.json_types import JsonObject
from tests.e2e.court import court
from tests.e2e.support import Lifecycle, lifecycle
from tests.git_world import as_left, repository

FILES = {
    ".gitignore": ".workflow/\n",
    "README.md": (
        "# Parcels\n\nA parcel that is lost is looked for after three days. The depot counts its parcels each night.\n"
    ),
    "parcels/__init__.py": "",
    "parcels/depot.py": (
        '"""The depot: counts parcels, and finds lost ones."""\n\nimport subprocess\n\n'
        "from parcels.parcel import Parcel\n\n\n"
        "def find_lost_parcels(found):\n    try:\n        return [each for each in found if each.lost]\n    except:\n"
        "        return []\n\n\ndef count(folder):\n    return subprocess.run(f'ls {folder}', shell=True)\n"
    ),
    "parcels/parcel.py": "class Parcel:\n    lost = False\n\n\n# TODO: decide whether a lost parcel can come back\n",
    "tests/test_depot.py": "from parcels.depot import count\n\n\ndef test_count():\n    assert count('.')\n",
}
QUESTION = "How are lost parcels found, and is it secure?"


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Lifecycle]:
    with lifecycle(repository(tmp_path / "p", FILES)) as made:
        yield made


def places(value: object) -> list[JsonObject]:
    """Every place that counts as evidence, wherever it stands."""
    if isinstance(value, list):
        return [place for each in value for place in places(each)]
    if not isinstance(value, dict):
        return []
    own = [value] if {"path", "line", "quote"} <= value.keys() else []
    return own + [place for key, each in value.items() if key != "not_found" for place in places(each)]


def assert_places_exist(folder: Path, record: object) -> int:
    found = places(record)
    for place in found:
        line = (folder / place["path"]).read_text().splitlines()[place["line"] - 1]
        assert place["quote"] and line.strip().startswith(place["quote"]), place
    return len(found)


def test_a_quick_analysis_ends_with_conclusions_whose_lines_are_there(project: Lifecycle) -> None:
    before = as_left(project.folder)

    done = project.run("start", "--mode", "analyze-quick", QUESTION, "--json")

    folder = project.directory(done.json()["session"])
    conclusions = json.loads((folder / "conclusions.json").read_text())
    assert done.code == 0
    assert assert_places_exist(project.folder, conclusions["key_conclusions"]) > 2
    assert any("find_lost_parcels" in each["quote"] for each in places(conclusions))
    assert "shell" in (folder / "report.md").read_text()
    assert project.rows("SELECT summary FROM messages WHERE type = 'pipeline_selected'") == [
        ("[coordinator] analyze-quick: you asked for it; perspectives: security",)
    ]
    assert as_left(project.folder) == before


def test_a_deep_analysis_goes_where_the_person_says_and_every_claim_has_its_line(project: Lifecycle) -> None:
    first = project.run(
        "start", "--mode", "analyze-deep", QUESTION, "--perspectives", "security,concept", "--json"
    )
    session = first.json()["session"]
    assert (first.code, first.json()["report"]["pause"]["reason"]) == (3, "discussion_feedback")

    asked = project.run("resume", "--decide", "After how many days is a parcel looked for?", "--json")
    turned = project.run("resume", "--decide", "instead look at how the depot counts", "--json")
    ended = project.run("resume", "--decide", "done", "--json")

    folder = project.directory(session)
    rounds = [json.loads((folder / f"discussions/discussion-round-{n}.json").read_text()) for n in (1, 2, 3)]
    assert [asked.code, turned.code, ended.code] == [3, 3, 0]
    assert [each["type"] for each in rounds] == ["initial", "specific-questions", "direction-adjusted"]
    assert "looked for after three days" in rounds[1]["answers"][0]["answer"]
    assert rounds[2]["user_feedback"] == "instead look at how the depot counts"
    fixed = json.loads((folder / "analyses/analysis-fix-001.json").read_text())
    assert (fixed["is_direction_fix"], fixed["adjusted_focus"]) == (
        True,
        "instead look at how the depot counts",
    )
    memory = json.loads((folder / "shared-memory.json").read_text())["discussant"]
    assert [each["round"] for each in memory["discussions"]] == [1, 2, 3]
    for path in [
        *folder.glob("analyses/*.json"),
        *folder.glob("discussions/*.json"),
        folder / "conclusions.json",
    ]:
        assert assert_places_exist(project.folder, json.loads(path.read_text())), path
    assert "After how many days" in (folder / "discussion.md").read_text()


@pytest.mark.long
def test_the_fifth_round_is_the_last_and_the_conclusions_follow(project: Lifecycle) -> None:
    started = project.run("start", "--mode", "analyze-deep", QUESTION, "--json")
    codes = [project.run("resume", "--decide", "deepen").code for _ in range(4)]

    folder = project.directory(started.json()["session"])
    assert codes == [3, 3, 3, 0]
    assert sorted(path.name for path in folder.glob("discussions/*.json"))[-1] == "discussion-round-5.json"
    assert not (folder / "discussions/discussion-round-6.json").exists()
    assert (folder / "report.md").exists()


def test_an_analysis_of_nothing_says_so(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    with lifecycle(tmp_path / "empty") as made:
        done = made.run("start", "--mode", "analyze-quick", "Explain the architecture", "--json")
        report = (made.directory(done.json()["session"]) / "report.md").read_text()
    assert done.code == 0
    assert "Nothing was" in report


def test_what_cannot_be_analyzed_exits_with_2_and_makes_no_session(project: Lifecycle) -> None:
    for options, said in (
        (("--perspectives", "taste"), "unknown perspective of an analysis 'taste'"),
        (("--mode", "analyze-quick", "--perspectives", "security,concept"), "2 perspectives are too many"),
        (("--supervise",), "supervise has no effect"),
        (("--approve-plan",), "approve-plan has no effect"),
        (("--discuss", "off"), "discuss has no effect"),
        (("--spec", "README.md"), "spec has no effect"),
    ):
        refused = project.run("start", "--mode", "analyze-deep", QUESTION, *options)
        assert (refused.code, said in refused.err) == (2, True), refused.err
    assert project.run("list", "--json").json() == []


def test_a_round_waits_for_words_and_takes_no_empty_ones(project: Lifecycle) -> None:
    project.run("start", "--mode", "analyze-deep", QUESTION)

    for given in ((), ("--decide", ""), ("--decide", "   ")):
        refused = project.run("resume", *given)
        assert refused.code == 2, refused.out
    assert project.run("resume", "--decide", "done").code == 0


@pytest.mark.long
def test_feedback_on_a_finished_analysis_holds_another_round_and_concludes_anew(project: Lifecycle) -> None:
    started = project.run("start", "--mode", "analyze-quick", QUESTION, "--json")
    folder = project.directory(started.json()["session"])
    before = (folder / "report.md").read_text()

    refused = project.run("feedback", "done")
    named = project.run("feedback", "more", "--task", "ANALYZE-001")
    asked = project.run("feedback", "After how many days is a parcel looked for?", "--json")

    assert [refused.code, named.code, asked.code] == [2, 2, 0], (refused.err, named.err, asked.err)
    assert project.tasks() == dict.fromkeys(
        ("EXPLORE-001", "ANALYZE-001", "SYNTH-001", "DISCUSS-001", "SYNTH-001-R1"), "completed"
    )
    held = json.loads((folder / "discussions/discussion-round-1.json").read_text())
    assert held["type"] == "specific-questions"
    assert "three days" in held["answers"][0]["answer"]
    after = (folder / "report.md").read_text()
    assert "After how many days" in after and "After how many days" not in before


def test_what_the_project_no_longer_shows_is_corrected_and_no_longer_concluded(project: Lifecycle) -> None:
    started = project.run("start", "--mode", "analyze-deep", QUESTION, "--json")
    folder = project.directory(started.json()["session"])
    depot = project.folder / "parcels" / "depot.py"
    depot.write_text(depot.read_text().replace("shell=True", "check=True"))

    project.run("resume", "--decide", "deepen")
    project.run("resume", "--decide", "done")

    corrected = json.loads((folder / "discussions/discussion-round-2.json").read_text())
    gone = corrected["updated_understanding"]["corrected"]
    concluded = json.loads((folder / "conclusions.json").read_text())["key_conclusions"]
    assert any("run by a shell" in text for text in gone)
    assert concluded and not any("run by a shell" in each["point"] for each in concluded)


@pytest.mark.long
def test_a_revised_analysis_holds_its_rounds_again_without_asking(project: Lifecycle) -> None:
    started = project.run("start", "--mode", "analyze-deep", QUESTION, "--json")
    project.run("resume", "--decide", "How does the depot count?")
    project.run("resume", "--decide", "done")

    again = project.run("revise", "ANALYZE-001", "look at the parcels that are lost", "--json")

    assert again.code == 0, again.err
    assert [key for key in project.tasks() if key.endswith("-R1")] == [
        "ANALYZE-001-R1",
        "DISCUSS-001-R1",
        "DISCUSS-002-R1",
        "SYNTH-001-R1",
    ]
    folder = project.directory(started.json()["session"])
    rounds = [json.loads((folder / f"discussions/discussion-round-{n}.json").read_text()) for n in (1, 2)]
    assert [each["type"] for each in rounds] == ["initial", "specific-questions"]


def test_a_chinese_request_is_answered_in_chinese(project: Lifecycle) -> None:
    done = project.run(
        "start", "--mode", "analyze-standard", "分析代码的架构与安全：如何查询文件？", "--json"
    )

    report = (project.directory(done.json()["session"]) / "report.md").read_text()
    assert "由 shell 执行命令" in report and "以参数列表传递命令" in report
    assert not [
        word for word in ("run by a shell", "Pass the command", "in all", "lines of source") if word in report
    ]


LIES = {
    "key_insights": [
        {
            "text": "The depot is counted by a shell",
            "evidence": [{"path": "parcels/depot.py", "line": 3, "quote": "shell=True"}],
        },
        {
            "text": "The password is weak",
            "evidence": [{"path": "../../etc/passwd", "line": 1, "quote": "root:x:0:0"}],
        },
        {"text": "Root can log in", "evidence": [{"path": "/etc/passwd", "line": 1, "quote": ""}]},
        {
            "text": "The token is short",
            "evidence": [{"path": ".env", "line": 1, "quote": "TOKEN=tell-nobody"}],
        },
        {
            "text": "There is a cellar",
            "evidence": [{"path": "parcels/cellar.py", "line": 1, "quote": "cellar"}],
        },
        {
            "text": "The link leads out",
            "evidence": [{"path": "outside.py", "line": 1, "quote": "the word outside"}],
        },
        {"text": "Nothing shows it", "evidence": []},
        {"text": "The zero ends it", "evidence": [{"path": "a\0b", "line": 1, "quote": ""}]},
    ]
}


def test_what_an_agent_cites_counts_only_where_it_is_there(tmp_path: Path) -> None:
    (tmp_path / "outside.py").write_text("the word outside\n")
    roles = {role: ["judge", "builtin"] for role in ("explorer", "synthesizer")}
    with court(tmp_path, roles=roles) as judged:
        project = judged.project
        for path, text in FILES.items():
            (project.folder / path).parent.mkdir(parents=True, exist_ok=True)
            (project.folder / path).write_text(text)
        (project.folder / ".env").write_text("TOKEN=tell-nobody\n")
        (project.folder / "outside.py").symlink_to(tmp_path / "outside.py")
        conclusions = {"summary": "All is lost", "key_conclusions": LIES["key_insights"]}
        (project.folder / "plan.json").write_text(
            json.dumps({"ANALYZE-001/analysis": LIES, "SYNTH-001/conclusions": conclusions})
        )

        done = project.run("start", "--mode", "analyze-quick", QUESTION, "--json")

        folder = project.directory(done.json()["session"])
        analysis = json.loads((folder / "analyses/analysis-001.json").read_text())
        concluded = json.loads((folder / "conclusions.json").read_text())
        written = "".join(path.read_text() for path in folder.rglob("*.md"))
    assert done.code == 0, done.err
    assert analysis["agent"] == concluded["agent"] == "judge"
    assert [each["text"] for each in analysis["key_insights"]] == ["The depot is counted by a shell"]
    assert analysis["key_insights"][0]["evidence"][0]["line"] == 16  # the words tell the line
    assert {each["text"] for each in analysis["unverified"]} == {
        each["text"] for each in LIES["key_insights"][1:]
    }
    assert [each["confidence"] for each in concluded["key_conclusions"]] == ["medium"] + ["low"] * 7
    assert "the word outside" not in written and "tell-nobody" not in written and "root:x" not in written


def test_without_any_analysis_the_conclusions_are_drawn_from_what_the_rules_found(tmp_path: Path) -> None:
    with court(tmp_path, {"max_attempts": 1}, roles={"explorer": ["judge"]}) as judged:
        project = judged.project
        (project.folder / "plan.json").write_text("{}")
        for path, text in FILES.items():
            (project.folder / path).parent.mkdir(parents=True, exist_ok=True)
            (project.folder / path).write_text(text)
        started = project.run("start", "--mode", "analyze-quick", QUESTION, "--json")

        skipped = project.run("resume", "--skip", "ANALYZE-001", "--json")

        report = (project.directory(started.json()["session"]) / "report.md").read_text()
    assert (started.code, skipped.code) != (0, 0)
    assert skipped.code == 0, skipped.err
    assert "run by a shell" in report and "parcels/depot.py:16" in report


def test_a_recorded_analysis_is_replayed(project: Lifecycle, tmp_path: Path) -> None:
    tape = str(tmp_path / "tape")
    first = project.run("start", "--mode", "analyze-quick", QUESTION, "--record", tape, "--json")
    second = project.run("start", "--mode", "analyze-quick", QUESTION, "--replay", tape, "--json")

    assert [first.code, second.code] == [0, 0], second.err
    reports = [
        (project.directory(each.json()["session"]) / "report.md").read_text().partition("# ")[2]
        for each in (first, second)
    ]
    assert reports[0] == reports[1] != ""
