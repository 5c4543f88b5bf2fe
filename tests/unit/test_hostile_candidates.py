"""No content of a file ends the checks of a candidate, or holds them up."""

from __future__ import annotations

import time

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from workers.evidence.added_secrets import added_secrets
from workers.evidence.changed_files import ChangedFile, Changes
from workers.evidence.compiles import syntax_faults
from workers.evidence.declared import Declared
from workers.evidence.forbidden import changed_dependencies, flagged, forbidden_paths
from workers.evidence.review_rules import review_changes
from workers.evidence.tampering import tampering
from workers.evidence.weakened_tests import edited_tests

PATHS = [
    "a.py",
    "tests/test_a.py",
    "conftest.py",
    "a.test.js",
    "a.ts",
    "a.tsx",
    "a_test.go",
    "src/lib.rs",
    "src/test/ATest.java",
    "a.json",
    "pyproject.toml",
    "package.json",
    "setup.cfg",
    "requirements.txt",
    "a.yaml",
    "a.bin",
    "go.mod",
    "pom.xml",
    "Cargo.toml",
]
WORDS = st.sampled_from(
    [
        "it( ",
        "describe('a', ",
        ")",
        "}",
        "{",
        "@Test ",
        "#[test] fn a",
        "func TestA(",
        "def test_a():\n",
        "    assert a\n",
        "'",
        '"',
        "`",
        "${",
        "/*",
        "//",
        "\n",
        "\x00",
        "\ufeff",
        "[",
        "= ",
        "a",
        "import pytest\n",
        "class A:\n",
    ]
)
BODIES = st.one_of(
    st.binary(max_size=60),
    st.lists(WORDS, max_size=25).map(lambda words: "".join(words).encode("utf-8", "replace")),
)


def check_all(*files: ChangedFile) -> set[str]:
    changes = Changes(files)
    declared = Declared()
    found = [
        *flagged((), changes, declared),
        *forbidden_paths(changes, declared),
        *changed_dependencies(changes, declared),
        *added_secrets(changes),
        *edited_tests(changes, declared),
        *tampering(changes),
        *syntax_faults(changes),
        *review_changes(changes),
    ]
    assert all(0 <= finding.line <= len(changes.by_path[finding.path].lines) + 1 for finding in found)
    return {finding.rule for finding in found if finding.blocks}


@settings(max_examples=150)
@given(st.sampled_from(PATHS), BODIES, BODIES)
@example("a.py", b"", b"\xff\xfea")
@example("package.json", b"[]", b'{"scripts": 3, "dependencies": []}')
@example("setup.cfg", b"[a", b"[a]\n[a]\n=\n")
def test_no_content_ends_the_checks(path: str, before: bytes, after: bytes) -> None:
    check_all(ChangedFile(path, "M", before, after, path))
    check_all(ChangedFile(path, "A", None, after, path))
    check_all(ChangedFile(path, "D", before, None, path))


@pytest.mark.long
@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("a.py", "x = " + "-" * 200_000 + "1\n"),
        ("a.py", "x = " + "+".join(["'a'"] * 3_000) + "\n"),
        ("a.py", "x = " + "a" + ".b" * 3_000 + "()\n"),
        ("tests/test_a.py", "def test_a():\n    assert " + " + ".join(["a"] * 3_000) + "\n"),
        ("a.json", "[" * 200_000),
        ("a.toml", "a = " + "[" * 100_000),
        ("a.yaml", "[" * 2_000),
        ("a.test.js", "it('a', (" * 20_000),
        ("a.test.js", "describe('a', () => {" * 10_000),
        ("ATest.java", "@Test a(" * 20_000),
        ("ATest.java", "@Test " + "a " * 100_000),
        ("src/lib.rs", "#[test]\n" * 30_000 + "fn a() {"),
        ("a_test.go", "func TestA(" * 20_000),
        ("a.js", "'" * 200_000),
        ("a.txt", "a" * 1_000_000),
        ("a.txt", "://" * 100_000),
    ],
    ids=lambda value: value[:12],
)
def test_no_content_holds_the_checks_up(path: str, text: str) -> None:
    began = time.process_time()

    check_all(ChangedFile(path, "A", None, text.encode(), path))

    assert time.process_time() - began < 20  # seconds; what grows with the square takes many minutes


def test_what_is_nested_too_deeply_to_be_checked_blocks() -> None:
    text = "import os\nx = " + "+".join(["a"] * 3_000) + "\nos._exit(0)\n"

    assert check_all(ChangedFile("a.py", "A", None, text.encode(), "a.py"))
