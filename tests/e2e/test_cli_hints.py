"""Commands say how a session is named where one is given for something else, and fold what is too wide."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from orchestrator.cli.output import cells
from orchestrator.store import artifacts
from orchestrator.store.store import Tx
from tests import factories
from tests.e2e.cli_world import World, make_world
from tests.e2e.support import lifecycle

GOALS = "\n\n".join(f"## G-{number:03d}: Goal number {number} of many" for number in range(1, 13))
SERVED = ", ".join(f"G-{number:03d}" for number in range(1, 13))
PAGE = f"{GOALS}\n\n## REQ-001: Order by phone, whatever the hour, in every shop\n\nServes {SERVED}.\n"


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    with lifecycle(tmp_path_factory.mktemp("hints") / "p") as life:
        made = make_world(life)
        yield made
        made.store.close()


@pytest.fixture(scope="module")
def session(world: World) -> str:
    found = factories.make_session(world.store, "Some work")

    def unit(tx: Tx) -> None:
        digest = artifacts.put(tx, PAGE.encode())
        artifacts.register(
            tx, found, "spec/all.md", digest, len(PAGE), "document", author="writer", task=None, run=None
        )

    world.store.write(unit)
    return found


@pytest.mark.parametrize(
    ("given", "named"),
    [
        (("tasks", "SESSION", "--grouped"), "lifecycle tasks --grouped --session SESSION"),
        (("tasks", "SESSION"), "lifecycle tasks --session SESSION"),
        (("runs", "SESSION"), "lifecycle runs --session SESSION"),
        (("diff", "SESSION", "--since-approval"), "lifecycle diff --since-approval --session SESSION"),
        (("diff", "SESSION"), "lifecycle diff ARTIFACT --session SESSION"),
    ],
    ids=" ".join,
)
def test_a_session_in_the_place_of_something_else_is_named_as_an_option(
    world: World, session: str, given: tuple[str, ...], named: str
) -> None:
    gave = world.life.run(*(word.replace("SESSION", session) for word in given))

    assert (gave.code, gave.out) == (2, "")
    assert f"try: {named.replace('SESSION', session)}" in gave.err


def test_a_session_without_documents_says_so(tmp_path: Path) -> None:
    with lifecycle(tmp_path / "p") as life:
        made = make_world(life)
        factories.make_session(made.store)
        gave = life.run("diff", "--since-approval")
        two = factories.make_session(made.store, "More work")
        several = life.run("tasks", "--grouped")
        made.store.close()

    assert (gave.code, gave.out) == (0, "")
    assert "no document has been written yet" in gave.err
    assert (several.code, two in several.err) == (2, True)
    assert "add --session and its id" in several.err


@pytest.mark.parametrize("columns", [40, 70, 100])
def test_the_graph_of_items_folds_to_the_width(world: World, session: str, columns: int) -> None:
    gave = world.life.run("impact", "--graph", "-s", session, env={"COLUMNS": str(columns)})

    lines = gave.out.splitlines()
    assert [line for line in lines if cells(line) > columns] == []
    table = gave.out.partition("weak:")[0].partition("REQ-001")[2]
    assert re.findall(r"G-\d{3}", table) == [f"G-{number:03d}" for number in range(1, 13)]


@pytest.mark.parametrize(
    ("arguments", "hint"),
    [
        (("start", "build", "a", "shop"), 'put the task in quotes: lifecycle start "build a shop"'),
        (("start", "build", "a", "shop", "--yes"), 'lifecycle start "build a shop"'),
        (("start", "Build a shop", "--max-usd", "-5"), "give --max-usd another value; nothing was changed"),
        (("strat", "x"), "Did you mean 'start'"),
        (("approve",), "Did you mean 'resume'?"),
        (("stop", "S"), "Did you mean 'pause' or 'cancel'?"),
        (("run", "x"), "Did you mean 'start'?"),
    ],
)
def test_command_that_was_given_wrongly_says_how_it_is_given(
    tmp_path: Path, arguments: tuple[str, ...], hint: str
) -> None:
    with lifecycle(tmp_path / "p") as life:
        refused = life.run(*arguments)
        as_json = life.run(*arguments, "--json")
        told = json.loads(as_json.out)["error"]

    assert (refused.code, as_json.code, told["exit_code"]) == (2, 2, 2)
    assert hint in refused.err and hint in as_json.err
    assert hint in f"{told['what']} {told['try']}"
    assert refused.out == ""


def test_a_patch_for_a_folder_that_does_not_exist_is_refused_with_its_name(tmp_path: Path) -> None:
    with lifecycle(tmp_path / "p") as life:
        refused = life.run("apply", "--patch", "nowhere/p")

    assert (refused.code, refused.out) == (2, "")
    assert "the folder 'nowhere' does not exist" in refused.err
