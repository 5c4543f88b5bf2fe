"""Diagrams, read by the Mermaid parser itself (node and npm must be installed; the parser goes into a cache folder)."""

from __future__ import annotations

import fcntl
import hashlib
import html
import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import regex

from tests.unit.docgen_samples import chinese, english, specification
from tests.unit.test_docgen_hostile import HOSTILE, specification_with
from workers.documents import diagrams, escape
from workers.documents.content import Architecture, Component, Epic, Statement

HERE = Path(__file__).parents[1] / "mermaid"
INSTALL_SECONDS = 170


@pytest.fixture(scope="module")
def parser() -> Iterator[subprocess.Popen[bytes]]:
    """The parser, which takes seconds to load: started once, it answers each line."""
    command = ["node", str(HERE / "parse.mjs"), str(installed())]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        yield process
        process.kill()


def installed() -> Path:
    """The folder with the installed parser: one for each lock file, made once for all processes."""
    if shutil.which("node") is None or shutil.which("npm") is None:
        pytest.skip("node and npm are not installed: apt-get install nodejs npm")
    lock = (HERE / "package-lock.json").read_bytes()
    home = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    folder = home / "team-lifecycle-tests" / f"mermaid-{hashlib.sha256(lock).hexdigest()[:16]}"
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / ".lock").open("w") as guard:
        fcntl.flock(guard, fcntl.LOCK_EX)
        if not (folder / ".complete").exists():
            for name in ("package.json", "package-lock.json"):
                shutil.copy(HERE / name, folder / name)
            npm = ["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund"]
            subprocess.run(npm, cwd=folder, check=True, capture_output=True, timeout=INSTALL_SECONDS)
            (folder / ".complete").touch()
    return folder


def parsed(parser: subprocess.Popen[bytes], texts: list[str]) -> list[dict[str, Any]]:
    assert parser.stdin is not None and parser.stdout is not None
    parser.stdin.write(json.dumps(texts).encode() + b"\n")
    parser.stdin.flush()
    return list(json.loads(parser.stdout.readline()))


def drawn(files: dict[str, bytes]) -> list[str]:
    pages = [data.decode() for path, data in files.items() if path.endswith(".md")]
    return [found for page in pages for found in regex.findall(r"```mermaid\n(.*?)\n```", page, regex.DOTALL)]


def label(text: str) -> str:
    """A label as the browser shows it: Mermaid keeps character references in a form of its own until it draws."""
    return html.unescape(regex.sub(r"ﬂ°°(\d+)¶ß", r"&#\1;", text))


@pytest.mark.parametrize("contents", [english(), chinese()], ids=["english", "chinese"])
def test_every_diagram_of_a_specification_is_a_flowchart(
    parser: subprocess.Popen[bytes], contents: dict[str, Any]
) -> None:
    texts = drawn(specification(contents))

    answers = parsed(parser, texts)

    assert len(texts) == 4
    assert [answer.get("type") for answer in answers] == ["flowchart-v2"] * 4, answers


def test_hostile_names_add_no_node_no_edge_and_no_setting(parser: subprocess.Popen[bytes]) -> None:
    plain = parsed(parser, drawn(specification_with("plain")))
    texts = [drawn(specification_with(text)) for text in HOSTILE]

    answers = parsed(parser, [text for group in texts for text in group])

    for at, answer in enumerate(answers):
        twin = plain[at % len(plain)]
        assert "error" not in answer, answer
        assert [name for name, _ in answer["vertices"]] == [name for name, _ in twin["vertices"]]
        assert answer["edges"] == twin["edges"]
        assert answer["config"] == {}
        assert not answer["changed"]


def test_labels_show_the_names_they_were_given(parser: subprocess.Popen[bytes]) -> None:
    names = [text for text in HOSTILE if len(escape.one_line(text)) <= escape.MERMAID_LABEL_LIMIT]
    components = [Component(name=text, responsibility="x", depends_on=[names[0]]) for text in names]
    architecture = Architecture(overview="", style=Statement(text="plain"), components=components)

    (answer,) = parsed(parser, drawn({"a.md": diagrams.components(architecture).encode()}))

    assert [label(name) for _, name in answer["vertices"]] == [escape.one_line(text) or "–" for text in names]
    assert len(answer["edges"]) == len(names)


def test_arrows_of_epics_point_to_what_comes_later(parser: subprocess.Popen[bytes]) -> None:
    epics = [
        Epic(id="EPIC-001", title="One", goal="x"),
        Epic(id="EPIC-002", title="Two", goal="x", depends_on=["EPIC-001", "EPIC-009"]),
    ]

    (answer,) = parsed(parser, drawn({"a.md": diagrams.epics(epics).encode()}))

    assert answer["vertices"] == [["epic1", "EPIC-001 One"], ["epic2", "EPIC-002 Two"]]
    assert answer["edges"] == [["epic1", "epic2"]]


def test_the_parser_notices_a_broken_diagram(parser: subprocess.Popen[bytes]) -> None:
    (answer,) = parsed(parser, ['flowchart TD\n a["x" y"] --> b[z('])

    assert "Parse error" in answer["error"]
