"""Documents in the browser: what is shown of one, what changed in it, and what a hostile one may not do."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from orchestrator.domain.pauses import PauseReason
from orchestrator.store import artifacts, decisions, sessions
from orchestrator.store.store import Tx
from tests.web_world import WebWorld, web_world

BRIEF = "spec/product-brief.md"


@pytest.fixture
def world(tmp_path: Path) -> Iterator[WebWorld]:
    with web_world(tmp_path) as made:
        yield made


def write(world: WebWorld, path: str, text: str) -> None:
    def unit(tx: Tx) -> None:
        body = text.encode()
        digest = artifacts.put(tx, body)
        artifacts.register(
            tx, world.session, path, digest, len(body), "document", author="writer", task=None, run=None
        )

    world.store.write(unit)


def approve(world: WebWorld) -> None:
    def unit(tx: Tx) -> None:
        digest = sessions.subject_digest(tx, world.session, PauseReason.CHECKPOINT)
        decisions.decide(tx, world.session, "approve_checkpoint QUALITY-001", "ana", "", digest=digest)

    world.store.write(unit)


def page(world: WebWorld, address: str) -> str:
    answer = world.get(f"/p/demo/s/{world.session}/{address}")
    assert answer.status_code == 200, answer.text
    return str(answer.text)


def test_the_list_links_every_document(world: WebWorld) -> None:
    write(world, BRIEF, "# Brief")
    write(world, "spec/odd #1?.md", "# Odd")
    write(world, "spec/.content/brief.json", "{}")

    text = page(world, "docs")

    links = re.findall(r'<a href="([^"]*/doc/[^"]*)"', text)
    assert len(links) == 2
    assert all(world.get(link).status_code == 200 for link in links)


def test_a_document_marks_the_sections_that_changed_since_the_approval(world: WebWorld) -> None:
    write(world, BRIEF, "# Brief\n\n## Vision\n\nOne.\n\n## Scope\n\nAll.")
    approve(world)
    assert "as approved" in page(world, f"doc/{BRIEF}")

    write(world, BRIEF, "# Brief\n\n## Vision\n\nTwo.\n\n## Scope\n\nAll.")

    text = page(world, f"doc/{BRIEF}")
    assert '<h2 id="doc-vision">Vision <span class="tag changed">changed</span></h2>' in text
    assert '<h2 id="doc-scope">Scope</h2>' in text
    assert f"/diff/{BRIEF}?v=2&amp;from=1" in text
    assert "One." in page(world, f"doc/{BRIEF}?v=1")


def test_a_comparison_marks_words(world: WebWorld) -> None:
    write(world, BRIEF, "---\nversion: 1\n---\n# Brief\n\nLinks expire after 30 days.")
    write(world, BRIEF, "---\nversion: 2\n---\n# Brief\n\nLinks expire after 45 days.")

    text = page(world, f"diff/{BRIEF}")

    assert "<del>30</del>" in text
    assert "<ins>45</ins>" in text
    assert "version: 2" not in text
    assert "1 lines added, 1 removed" in text


def test_a_very_long_comparison_is_cut_and_says_so(world: WebWorld) -> None:
    write(world, BRIEF, "# Brief")
    write(world, BRIEF, "# Brief\n" + "line\n" * 2_000)

    text = page(world, f"diff/{BRIEF}")

    assert text.count('<li class="added">') < 1_501
    assert "more lines are not shown" in text


def test_nothing_of_a_document_is_markup_outside_its_page_either(world: WebWorld) -> None:
    evil = "<img src=x onerror=alert(1)>"
    write(world, f"spec/{evil}.md", f"# {evil}\n\n---\n\n{evil}\u202e")
    write(world, f"spec/{evil}.md", f"---\n{evil}: {evil}\n---\n# {evil}2\n\n{evil}\u202e2")

    for address in ("docs", "doc/onerror", "diff/onerror", "doc/onerror?v=1"):
        text = page(world, address)
        assert "<img" not in text
        assert "\u202e" not in text


@pytest.mark.parametrize(
    "address",
    ["doc/..%2f..%2f..%2fetc/passwd", "doc//etc/passwd", "doc/../../lifecycle.db", "doc/none.md", "diff/%00"],
)
def test_no_address_becomes_a_path(world: WebWorld, address: str) -> None:
    write(world, BRIEF, "# Brief")

    assert world.get(f"/p/demo/s/{world.session}/{address}").status_code in (404, 422)


@pytest.mark.parametrize("query", ["v=9", "from=9", "v=0", "v=x", "other=1"])
def test_unknown_versions_and_parameters_are_refused(world: WebWorld, query: str) -> None:
    write(world, BRIEF, "# Brief")

    assert world.get(f"/p/demo/s/{world.session}/doc/{BRIEF}?{query}").status_code in (404, 422)


def test_diagrams_are_drawn_in_a_frame_with_a_policy_of_its_own(world: WebWorld) -> None:
    answer = world.client.get("/diagram")

    assert answer.status_code == 200
    assert "sandbox allow-scripts" in answer.headers["content-security-policy"]
    assert "set-cookie" not in answer.headers
    assert world.session not in answer.text
