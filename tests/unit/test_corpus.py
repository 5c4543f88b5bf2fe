"""The measure of how requests are read: labels hold, matching is fair, and the measuring run measures."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

from tests.corpus.__main__ import main
from tests.corpus.given import Given, Item
from tests.corpus.labelled import ASIDE, HERE, Document, Label, document, faults, labels_of, open_sets, paths
from tests.corpus.matching import match, similarity
from tests.corpus.score import Score, score, unmet

OPEN = paths(HERE)
FOLDERS = [HERE, ASIDE, *open_sets().values()]


def labelled(*labels: Label) -> Document:
    return Document(Path("made.md"), bool(labels), labels)


def scored(wanted: Document, items: Sequence[Item], unread: int | None = None) -> Score:
    return score(wanted, Given(tuple(items), unread))


# labels


@pytest.mark.parametrize(
    "path",
    [path for folder in FOLDERS for path in paths(folder)],
    ids=lambda path: f"{path.parent.name}/{path.name}",
)
def test_labels_of_each_document_hold(path: Path) -> None:
    assert document(path).path == path


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_labels_and_documents_belong_together(folder: Path) -> None:
    lone = {path.name for path in folder.glob("*.yaml")} - {labels_of(path).name for path in paths(folder)}

    assert lone <= {"thresholds.yaml"}
    assert len({path.stem for path in paths(folder)}) == len(paths(folder))


def test_open_documents_have_every_shape_the_measure_is_about() -> None:
    languages = [path.stem.rpartition(".")[2] for path in OPEN if "." in path.stem]

    assert len(OPEN) >= 27
    assert languages.count("zh") >= 5 and len(languages) - languages.count("zh") >= 3
    assert sum(len(path.read_text().splitlines()) == 1 and path.stat().st_size < 200 for path in OPEN) >= 4
    assert sum(not document(path).is_request for path in OPEN) >= 4


@pytest.mark.parametrize(
    ("row", "fault"),
    [
        ({"kind": "goal", "quote": "Users log on"}, "does not occur"),
        ({"kind": "wish", "quote": "Users log in"}, "kind is 'wish'"),
        ({"kind": "goal", "quote": "Users log in", "target": "90 %"}, "the target '90 %' does not occur"),
        ({"kind": "goal", "quote": "Users log in", "owner": "me"}, "has the keys"),
        ({"kind": "goal"}, "has the keys"),
        ({"kind": "nfr", "quote": "Users log in", "nfr": "X"}, "nfr is 'X'"),
        ({"kind": "acceptance", "quote": "Users log in", "parent": "in two"}, "the parent is no other quote"),
        ({"kind": "acceptance", "quote": "Users log in", "parent": "Users log in"}, "no other quote"),
    ],
)
def test_fault_of_a_label_is_named(row: dict[str, str], fault: str) -> None:
    found = list(faults({"kind_of_document": "request", "labels": [row]}, "Users\n  log in in two steps."))

    assert any(fault in text for text in found), found


@pytest.mark.parametrize(
    ("raw", "fault"),
    [
        ({"labels": []}, "keys are"),
        ({"kind_of_document": "letter", "labels": []}, "kind_of_document is letter"),
        ({"kind_of_document": "request", "labels": []}, "a request has labels"),
        ({"kind_of_document": "not_a_request", "labels": [{"kind": "goal", "quote": "x"}]}, "has none"),
        ({"kind_of_document": "request", "labels": [{"kind": "goal", "quote": "x"}] * 2}, "labelled twice"),
    ],
)
def test_fault_of_a_file_of_labels_is_named(raw: dict[str, Any], fault: str) -> None:
    assert any(fault in text for text in faults(raw, "x"))


# matching


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Doctors call the next patient", "**FR-3.1:** Doctors call the *next* patient."),
        ("Ward nurse", "Ward nurses"),
        ("Storage | PostgreSQL 16", "Storage: PostgreSQL 16"),
        ("家长可以在地图上看到校车位置", "家长可以在地图上看到校车位置。"),
    ],
)
def test_marks_identifiers_and_plurals_do_not_count(one: str, other: str) -> None:
    assert similarity(one, other) == 1


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Doctors call the next patient", "Receptionists print a ticket"),
        ("学生忘记带卡", "山区路段没有信号"),
        ("Goal", "Parcels reach the right person the first time"),
        ("", "Doctors call the next patient"),
    ],
)
def test_other_statements_do_not_match(one: str, other: str) -> None:
    assert not match([one], [other])


def test_closest_pair_is_taken_first_and_nothing_twice() -> None:
    labels = ["export a report as CSV", "export a report as CSV every month"]
    items = ["export a report as CSV every month", "export a report as CSV"]

    assert match(labels, items) == [(0, 1), (1, 0)]
    assert match(labels[:1], items) == [(0, 1)]


# scores


def test_item_found_twice_is_false_the_second_time() -> None:
    made = scored(
        labelled(Label("requirement", "print a ticket")), [Item("requirement", "Print a ticket.")] * 2
    )

    row = made.kinds["requirement"]
    assert (row.labelled, row.found, row.matched) == (1, 2, 1)


def test_header_cell_as_goal_is_false() -> None:
    goal = Label("goal", "Fewer lost parcels", target="under 5")
    made = scored(
        labelled(goal), [Item("goal", "Goal"), Item("goal", "Fewer lost parcels", target="under 5")]
    )

    assert made.kinds["goal"].precision == 0.5
    assert made.kinds["goal"].recall == made.figures()["goals with target"] == 1


def test_goal_without_its_target_counts_as_a_goal_only() -> None:
    goal = Label("goal", "Fewer lost parcels", target="under 5")
    made = scored(labelled(goal), [Item("goal", "Fewer lost parcels")])

    assert made.kinds["goal"].recall == 1
    assert made.figures()["goals with target"] == 0


def test_item_of_a_measure_is_no_false_goal() -> None:
    made = scored(labelled(Label("metric", "calls per week", target="3")), [Item("goal", "Calls per week")])

    assert made.kinds["metric"].recall == 1
    assert made.kinds["goal"].found == 0


def test_limit_given_as_a_feature_is_asked_for_but_not_of_its_kind() -> None:
    made = scored(
        labelled(Label("nfr", "answers in 2 seconds", nfr="P")), [Item("requirement", "answers in 2 s")]
    )

    assert made.kinds["asked for"].matched == 1
    assert made.kinds["nfr"].recall == made.kinds["requirement"].precision == 0
    assert made.figures()["nfr category"] == 0


def test_priorities_and_categories_count_for_what_is_carried() -> None:
    labels = (
        Label("requirement", "print a ticket", priority="Must"),
        Label("requirement", "call a patient", priority="Should"),
        Label("requirement", "close the desk", priority="Could"),
        Label("nfr", "names are encrypted", nfr="S"),
    )
    made = scored(
        labelled(*labels),
        [
            Item("requirement", "print a ticket", priority="Must"),
            Item("requirement", "call a patient", priority="Must"),
            Item("nfr", "names are encrypted", nfr="S", priority="Must"),
        ],
    )

    assert made.figures()["priority"] == 0.5
    assert made.figures()["nfr category"] == 1


def test_criterion_counts_at_its_own_requirement() -> None:
    label = Label("acceptance", "the queue is empty at noon", parent="call a patient")
    made = scored(
        labelled(Label("requirement", "call a patient"), label),
        [Item("acceptance", "the queue is empty at noon", parent="print a ticket")],
    )

    assert made.kinds["acceptance"].matched == 1
    assert made.figures()["criteria at their requirement"] == 0


def test_what_is_done_and_given_as_a_wish_is_counted() -> None:
    labels = (Label("done", "import the spreadsheet", status="done"), Label("requirement", "print a ticket"))
    made = scored(
        labelled(*labels), [Item("requirement", "import the spreadsheet"), Item("goal", "print a ticket")]
    )

    assert (made.done, made.done_as_open) == (1, 1)


def test_nameless_users_are_left_out() -> None:
    made = scored(labelled(Label("user", "Ward nurse")), [Item("user", "Users"), Item("user", "ward nurses")])

    assert made.kinds["user"].precision == made.kinds["user"].recall == 1


def test_request_and_what_is_none_are_told_apart_by_what_is_taken() -> None:
    wish, none = labelled(Label("requirement", "print a ticket")), labelled()

    assert scored(wish, [Item("requirement", "print a ticket")]).told.matched == 1
    assert scored(none, [Item("open_question", "What should be built?")]).told.matched == 1
    assert (
        scored(wish, []).told.matched
        == scored(none, [Item("goal", "At most three sentences")]).told.matched
        == 0
    )


def test_blocks_without_a_fate_are_counted_where_each_document_has_a_ledger() -> None:
    whole = scored(labelled(), [], unread=2)
    whole.add(scored(labelled(), [], unread=1))
    assert whole.figures()["blocks without a fate"] == 3

    whole.add(scored(labelled(), []))
    assert whole.figures()["blocks without a fate"] is None


# thresholds and the run


def test_thresholds_name_figures_and_what_is_not_measured_is_not_met() -> None:
    thresholds = YAML(typ="safe").load(HERE / "thresholds.yaml")

    assert {name for rows in thresholds.values() for name in rows} <= set(Score().figures())
    assert "blocks without a fate: not measured, at most 0" in unmet(Score().figures(), thresholds)
    assert unmet({"a": 0.9, "b": 1.0}, {"at_least": {"a": 0.9}, "at_most": {"b": 0}}) == [
        "b: 1.000, at most 0"
    ]


@pytest.mark.parametrize("name", ["ferry-manifest", "school-bus.zh"])
def test_run_measures_a_document(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--document", name]) == 0
    assert name in capsys.readouterr().out

    assert main(["--document", name, "--json"]) == 0
    figures = json.loads(capsys.readouterr().out)
    assert figures["documents"][name] == figures["all"]
    assert figures["all"]["asked for recall"] > 0


def test_run_measures_a_document_of_a_set(capsys: pytest.CaptureFixture[str]) -> None:
    name = paths(open_sets()["fresh1"])[0].stem

    assert main(["--set", "fresh1", "--document", name]) == 0
    assert name in capsys.readouterr().out
    with pytest.raises(SystemExit):  # the common set has no such document
        main(["--document", name])


def test_check_fails_where_a_threshold_is_not_met(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--document", "no-request-log", "--check"]) == 1
    assert "NOT MET" in capsys.readouterr().err


@pytest.mark.parametrize(
    "words", [["--document", "nothing"], ["--aside", "--document", "ferry-manifest"], ["--set", "aside"]]
)
def test_unknown_document_and_a_look_at_one_set_aside_are_refused(words: list[str]) -> None:
    with pytest.raises(SystemExit) as refused:
        main(words)

    assert refused.value.code == 2
