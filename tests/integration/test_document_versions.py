"""The order in which documents are listed, and what changed between two versions of one by the API."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from orchestrator.domain.errors import UnknownName
from orchestrator.store import artifacts
from orchestrator.store.store import Tx
from orchestrator.views import lookup
from orchestrator.views.reading_order import reading_order
from tests.web_world import WebWorld, web_world

BRIEF = "spec/product-brief.md"
IN_ORDER = [
    BRIEF,
    "spec/requirements/_index.md",
    "spec/requirements/REQ-001-links.md",
    "spec/architecture/_index.md",
    "spec/architecture/ADR-001-store.md",
    "spec/epics/_index.md",
    "spec/readiness-report.md",
    "spec/spec-summary.md",
    "plan/plan.md",
    "qa/review.md",
    "discussions/DISCUSS-001.md",
]


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WebWorld]:
    with web_world(tmp_path_factory.mktemp("versions")) as made:
        for path in reversed(IN_ORDER):
            write(made, path, f"# {path}\n\nfirst\n")
        write(made, BRIEF, "# Brief\n\nsecond\n")
        write(made, BRIEF, "# Brief\n\nthird\n")
        yield made


def write(world: WebWorld, path: str, text: str) -> None:
    def unit(tx: Tx) -> None:
        digest = artifacts.put(tx, text.encode())
        artifacts.register(
            tx, world.session, path, digest, len(text), "document", author="writer", task=None, run=None
        )

    world.store.write(unit)


def test_documents_are_listed_as_they_are_drafted_and_discussions_last(world: WebWorld) -> None:
    place = world.store.read(lambda tx: reading_order(tx, lookup.session(tx, world.session)))
    page = world.get(f"/p/demo/s/{world.session}/docs").text

    assert sorted(set(IN_ORDER), key=place) == IN_ORDER
    shown = [page.index(f'data-path="{path}"') for path in IN_ORDER]
    assert shown == sorted(shown)


@pytest.mark.parametrize(
    ("query", "versions", "changed"),
    [
        ("", (2, 3), ["-second", "+third"]),
        ("?from=1", (1, 3), ["-# spec/product-brief.md", "+# Brief", "-first", "+third"]),
        ("?to=2", (1, 2), ["-# spec/product-brief.md", "+# Brief", "-first", "+second"]),
        ("?from=3&to=2", (3, 2), ["-third", "+second"]),
        ("?to=1", (None, 1), ["+# spec/product-brief.md", "+", "+first"]),
    ],
)
def test_versions_are_compared(
    world: WebWorld, query: str, versions: tuple[int | None, int], changed: list[str]
) -> None:
    found = world.get(f"/api/v1/p/demo/sessions/{world.session}/diff/{BRIEF}{query}").json()

    assert (found["path"], found["from"], found["to"]) == (BRIEF, *versions)
    assert [line for line in found["diff"] if line[:1] in "+-" and line[:3] not in ("+++", "---")] == changed


@pytest.mark.parametrize(("query", "status"), [("?from=9", 404), ("?from=2&to=2", 422), ("?from=0", 422)])
def test_versions_that_are_not_there_are_refused(world: WebWorld, query: str, status: int) -> None:
    answer = world.get(f"/api/v1/p/demo/sessions/{world.session}/diff/{BRIEF}{query}")

    assert answer.status_code == status
    assert answer.json()["fix"]


@pytest.mark.parametrize(
    ("command", "says"),
    [
        ("revise", "Your revision is accepted."),
        ("pause", "The pause is over already."),
        ("fork", "This is the fork."),
        ("other", "Accepted: other."),
    ],
)
def test_what_a_command_led_to_is_said(world: WebWorld, command: str, says: str) -> None:
    page = world.get(f"/p/demo/s/{world.session}?done={command}").text

    assert says in page
    assert "Done:" not in page
    assert ("It runs as soon as a worker is free" in page) == (command == "revise")


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("REQ-1", "REQ-001"),
        ("adr1", "ADR-001"),
        ("REQ-0001", "REQ-001"),
        ("REQ-2", None),
        ("links-page", None),
    ],
)
def test_a_page_that_is_named_without_its_zeros_is_suggested(
    world: WebWorld, name: str, meant: str | None
) -> None:
    with pytest.raises(UnknownName) as refused:
        world.store.read(lambda tx: lookup.artifact(tx, world.session, name))

    told = f"did you mean {meant!r}?" if meant else "`lifecycle artifacts` lists them"
    assert refused.value.fix == told


@pytest.mark.parametrize(
    ("key", "fix"),
    [
        ("DRFT-002", "did you mean 'DRAFT-002'?"),
        ("draft2", "did you mean 'DRAFT-002'?"),
        ("ADR-002", "`lifecycle impact ADR-002` shows what was made of it"),
        ("REQ-001", "`lifecycle impact REQ-001` shows what was made of it"),
    ],
)
def test_a_mistyped_task_is_suggested_and_an_item_is_none(world: WebWorld, key: str, fix: str) -> None:
    with pytest.raises(UnknownName) as refused:
        world.store.read(lambda tx: lookup.task(tx, lookup.session(tx, world.session), key))

    assert refused.value.fix == fix
