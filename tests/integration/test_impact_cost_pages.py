"""The pages of links between items and of cost."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from orchestrator.domain.prices import Cost, Usage
from orchestrator.store import artifacts, records
from orchestrator.store.store import Tx
from tests import factories
from tests.web_world import WebWorld, web_world

REQUIREMENTS = "spec/requirements/_index.md"


@pytest.fixture
def world(tmp_path: Path) -> Iterator[WebWorld]:
    with web_world(tmp_path) as made:
        yield made


def write(world: WebWorld, text: str) -> None:
    def unit(tx: Tx) -> None:
        body = text.encode()
        digest = artifacts.put(tx, body)
        artifacts.register(
            tx, world.session, REQUIREMENTS, digest, len(body), "document", author="w", task=None, run=None
        )

    world.store.write(unit)


def page(world: WebWorld, address: str) -> str:
    answer = world.get(f"/p/demo/s/{world.session}/{address}")
    assert answer.status_code == 200, answer.text
    return str(answer.text)


def test_items_are_drawn_and_listed_with_links_and_without_markup_of_their_own(world: WebWorld) -> None:
    write(world, "## REQ-001: <img src=x onerror=alert(1)>\n\nIt logs in.\n\n## REQ-002: Log out\n\nOut.\n")

    text = page(world, "impact")

    assert text.count('<g class="box') == 2
    assert "<img" not in text
    assert f'href="/p/demo/s/{world.session}/impact/REQ-002"' in text
    assert "A revision of it would make again" in page(world, "impact/REQ-002")
    assert world.get(f"/p/demo/s/{world.session}/impact/REQ-009").status_code == 404


def test_too_many_items_for_a_drawing_are_listed(world: WebWorld) -> None:
    write(
        world, "".join(f"## REQ-{number:03}: Thing {number}\n\nText {number}.\n\n" for number in range(1, 90))
    )

    text = page(world, "impact")

    assert "too many for one drawing" in text
    assert "REQ-089" in text
    assert "<svg" not in text


def test_cost_is_shown_by_task_role_agent_and_model(world: WebWorld) -> None:
    factories.one_beat(world.store, world.session, world.lead)
    run = factories.claim(world.store, factories.make_host(world.store, seconds=3600.0))
    assert run is not None

    def unit(tx: Tx) -> None:
        begun = {"session_id": world.session, "task_id": run.id, "run_id": run.run, "agent": "claude"}
        call = records.begin_call(tx, {**begun, "purpose": "task", "perspective": None, "prompt_digest": "x"})
        usage = Usage(model="<b>opus", tokens_in=10, tokens_out=5)
        records.end_call(tx, call, "answered", usage, Cost(1_250_000, "reported"))

    world.store.write(unit)

    text = page(world, "cost")

    assert text.count("$1.25") >= 4
    assert "claude &lt;b&gt;opus" in text
    assert "<b>" not in text
