"""The analyze modes as a user runs them: a project, no agent, and lines that are there."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from orchestrator.domain.json_types import JsonObject
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
