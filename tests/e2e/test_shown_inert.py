"""Every command that shows what a stranger wrote shows it inert, and its JSON holds the same values."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Iterator

import pytest

from tests.e2e.support import Gave, Lifecycle, lifecycle

ACTIVE = "\x1b[31m \x9b31m \u202egnp.exe\u202c pass\u200bword \u2060x\ufeff \U000e0041\U000e0042 a\u2028b"
LOOKS = (
    "list --all",
    "check",
    "show",
    "tasks",
    "artifacts",
    "log",
    "runs DRAFT-001",
    "cost",
    "why DRAFT-004",
    "discuss DISCUSS-001",
    "diff product-brief.md",
    "open product-brief.md --print",
    "open spec-config.json --print",
    "msg list",
    "msg read --id MSG-002",
    "msg status",
    "msg state",
)


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lifecycle]:
    """A session whose request, documents, messages and pause hold what no terminal may get."""
    with lifecycle(tmp_path_factory.mktemp("written") / "p") as life:
        assert life.run("start", f"Build a shop {ACTIVE} for tea").code == 0
        life.run("msg", "log", "--from", "writer", "--type", "draft_ready", "--summary", ACTIVE)
        spec = life.directory() / "spec"
        (spec / "product-brief.md").write_text(f"# Brief\n\nOf a person: {ACTIVE}\n")
        (spec / "spec-config.json").write_text(json.dumps({"text": ACTIVE}, ensure_ascii=False))
        assert life.run("repair").code == 0
        yield life


def active(text: str) -> list[str]:
    return [
        ascii(char)
        for char in text
        if unicodedata.category(char) in ("Cc", "Cf", "Cs", "Zl", "Zp") and char not in "\n\t"
    ]


@pytest.mark.parametrize("look", LOOKS)
def test_what_is_shown_is_inert(written: Lifecycle, look: str) -> None:
    plain = written.run(*look.split())
    as_json = written.run(*look.split(), "--json")

    assert (plain.code, as_json.code) == (0, 0), (plain.err, as_json.err)
    assert active(as_json.out + as_json.err + plain.err) == []
    values = as_json.out.splitlines() if look == "log" else [as_json.out]  # a line for each event
    assert all(json.loads(value) is not None for value in values)
    if look != "open product-brief.md --print":  # to a pipe a document comes as it is stored
        assert active(plain.out) == []


def test_json_that_is_printed_holds_the_values_that_were_written(written: Lifecycle) -> None:
    printed = written.run("open", "spec-config.json", "--print")

    assert json.loads(printed.out) == {"text": ACTIVE}


@pytest.mark.parametrize(
    "command",
    [
        ("start", f"Build {ACTIVE}", "--plan"),
        ("start", f"Build {ACTIVE}", "--plan", "--json"),
        ("check", ACTIVE),
        ("open", ACTIVE),
        ("revise", ACTIVE, "words"),
        ("start", "Build", "--mode", ACTIVE),
        ("msg", "log", "--from", ACTIVE, "--to", "coordinator", "--summary", ACTIVE),
    ],
    ids=["plan", "plan as JSON", "session", "artifact", "task", "mode", "message"],
)
def test_what_is_given_is_shown_inert_in_plans_and_refusals(
    written: Lifecycle, command: tuple[str, ...]
) -> None:
    gave: Gave = written.run(*command)

    assert active(gave.out + gave.err) == []
    assert gave.code in (0, 2)
