"""Only what a linter says at head and did not say at base counts, and nothing that it prints can end a check."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from orchestrator.domain.json_types import Json
from tests.conftest import ROOT
from tests.git_world import write
from tests.two_trees import Files, two_trees
from workers.evidence.candidate_checks import Checkouts, Subject, changes_of, check_candidate
from workers.evidence.changed_files import LARGEST_BYTES, added_lines
from workers.evidence.execution import Executed
from workers.evidence.lint_reports import READERS, Hit, LintReport, read_lint_report
from workers.evidence.linters import find_linters, lint, lint_changes, new_findings

RECORDED = ROOT / "tests" / "data" / "linters"
ESLINT = [
    {
        "filePath": "/trees/work/a.js",
        "messages": [
            {"ruleId": "no-undef", "severity": 2, "message": "'x' is not defined.", "line": 3},
            {"ruleId": None, "fatal": True, "severity": 2, "message": "Parsing error", "line": 1},
            {"ruleId": "semi", "severity": 1, "message": "Missing semicolon.", "line": 9},
        ],
    }
]
SEMGREP = {
    "results": [
        {
            "check_id": "a.b",
            "path": "./a.py",
            "start": {"line": 4},
            "extra": {"message": "No", "severity": "ERROR"},
        }
    ],
    "errors": [],
}
GOLANGCI = {"Issues": [{"FromLinter": "govet", "Text": "shadow", "Pos": {"Filename": "a.go", "Line": 7}}]}
GITLEAKS = [{"RuleID": "aws", "Description": "AWS key", "File": "a.env", "StartLine": 2, "Secret": "AKIA1"}]
REPORTS: dict[str, tuple[str, list[tuple[str, str, int, str]]]] = {
    "ruff": (
        (RECORDED / "ruff.json").read_text(),
        [
            ("ruff:F401", "app.py", 1, "medium"),
            ("ruff:B006", "app.py", 6, "medium"),
            ("ruff:F821", "app.py", 8, "high"),
        ],
    ),
    "bandit": (
        (RECORDED / "bandit.json").read_text(),
        [
            ("bandit:B404", "app.py", 2, "low"),
            ("bandit:B602", "app.py", 7, "high"),
            ("bandit:B324", "app.py", 8, "high"),
            ("bandit:B307", "app.py", 12, "medium"),
        ],
    ),
    "clippy": (
        (RECORDED / "clippy.json").read_text(),
        [
            ("clippy:unused_variables", "src/lib.rs", 1, "medium"),
            ("clippy:eq_op", "src/lib.rs", 2, "medium"),
            ("clippy:invalid_nan_comparisons", "src/lib.rs", 1, "medium"),
        ],
    ),
    "eslint": (
        json.dumps(ESLINT),
        [
            ("eslint:no-undef", "a.js", 3, "medium"),
            ("eslint:syntax", "a.js", 1, "high"),
            ("eslint:semi", "a.js", 9, "low"),
        ],
    ),
    "semgrep": (json.dumps(SEMGREP), [("semgrep:a.b", "a.py", 4, "high")]),
    "golangci-lint": (json.dumps(GOLANGCI) + "\n1 issues:\n", [("golangci-lint:govet", "a.go", 7, "high")]),
    "gitleaks": (json.dumps(GITLEAKS), [("gitleaks:aws", "a.env", 2, "critical")]),
}


@pytest.mark.parametrize("linter", REPORTS)
def test_a_report_is_read(linter: str) -> None:
    out, expected = REPORTS[linter]

    report = read_lint_report(linter, out, "/trees/work")

    assert report.fault == ""
    assert [(hit.rule, hit.path, hit.line, hit.severity) for hit in report.hits] == expected


def test_every_linter_has_a_report_here() -> None:
    assert set(REPORTS) == set(READERS)


@pytest.mark.parametrize("linter", READERS)
@pytest.mark.parametrize(
    "out", ["null", "{", "[1]", '{"results": 3}', "[[[" * 40_000, '{"reason": 1}\n{"reason": ']
)
def test_a_report_that_cannot_be_read_is_a_fault_or_empty(linter: str, out: str) -> None:
    report = read_lint_report(linter, out)

    assert report.hits == []


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["results", "messages", "filename", "location", "row", "code", "Issues", "message", "spans"]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@settings(max_examples=60)
@given(JSON, st.sampled_from(sorted(READERS)))
def test_no_value_ends_the_reading_of_a_report(value: Json, linter: str) -> None:
    report = read_lint_report(linter, json.dumps(value))

    assert all(isinstance(hit.path, str) and hit.line >= 0 for hit in report.hits)


def compared(
    base: Sequence[Hit],
    head: Sequence[Hit],
    before: dict[str, str],
    after: dict[str, str],
    renames: dict[str, str] | None = None,
) -> list[str]:
    found = new_findings(
        LintReport(list(base)),
        LintReport(list(head)),
        renames or {},
        lambda path: before.get(path, "").split("\n"),
        lambda path: after.get(path, "").split("\n"),
    )
    return [finding.place for finding in found]


def test_a_finding_that_moved_with_its_line_is_not_new() -> None:
    base, head = [Hit("r", "a.py", 1, "x")], [Hit("r", "a.py", 3, "x")]

    assert compared(base, head, {"a.py": "import os"}, {"a.py": "\n\n    import  os"}) == []


def test_a_finding_that_moved_with_its_file_is_not_new() -> None:
    base, head = [Hit("r", "a.py", 1, "x")], [Hit("r", "b.py", 1, "x")]

    assert compared(base, head, {"a.py": "i"}, {"b.py": "i"}, {"a.py": "b.py"}) == []
    assert compared(base, head, {"a.py": "i"}, {"b.py": "i"}) == ["b.py:1"]


def test_the_same_line_once_more_is_new_once() -> None:
    base = [Hit("r", "a.py", 1, "x")]
    head = [Hit("r", "a.py", 1, "x"), Hit("r", "a.py", 2, "x")]

    assert compared(base, head, {"a.py": "i"}, {"a.py": "i\ni"}) == ["a.py:2"]


def test_another_rule_on_a_line_that_did_not_change_is_new() -> None:
    base, head = [Hit("r", "a.py", 1, "x")], [Hit("q", "a.py", 1, "x")]

    assert compared(base, head, {"a.py": "i"}, {"a.py": "i"}) == ["a.py:1"]


def execute(argv: Sequence[str], cwd: Path, environ: Mapping[str, str]) -> Executed:
    done = subprocess.run(argv, cwd=cwd, env=dict(environ), capture_output=True, text=True, check=False)
    return Executed(done.returncode, done.stdout, done.stderr)


RUFF = f"""#!{sys.executable} -IS
# Reports each import as ruff does.
import json, os, sys
with open(os.environ["LOG"], "w") as log:
    print(*sys.argv[1:], file=log)
found = []
for path in sys.argv[sys.argv.index("--") + 1:]:
    with open(path) as file:
        for number, line in enumerate(file, 1):
            if line.startswith("import"):
                place = os.path.abspath(path)
                found.append(dict(code="F401", filename=place, location=dict(row=number), message="unused"))
print(json.dumps(found))
"""


class Trees:
    """Two folders with the files of two trees, and programs that stand in for the real ones."""

    def __init__(self, folder: Path, base: Files, changed: Files) -> None:
        after = {path: body for path, body in {**base, **changed}.items() if body is not None}
        self.base, self.tree, self.programs = folder / "base", folder / "tree", folder / "programs"
        for top, files in ((self.base, base), (self.tree, after)):
            top.mkdir()
            write(top, {path: body for path, body in files.items() if body is not None})
        self.programs.mkdir()
        self.environ = {"PATH": f"{self.programs}:/usr/bin:/bin", "LOG": str(folder / "log")}
        self.subject = Subject(two_trees(folder, {"x": (base, changed)}), "base/x", "tree/x")

    def install(self, name: str, script: str) -> None:
        path = self.programs / name
        path.write_text(script)
        path.chmod(0o755)

    @property
    def log(self) -> str:
        return Path(self.environ["LOG"]).read_text()

    def findings(self) -> list[tuple[str, str, str]]:
        found = lint_changes(changes_of(self.subject), execute, lambda: self.base, self.tree, self.environ)
        return [(finding.rule, finding.place, finding.severity) for finding in found]


def test_a_linter_runs_on_both_trees_and_only_the_new_counts(tmp_path: Path) -> None:
    trees = Trees(tmp_path, {"a.py": "import os\n"}, {"a.py": "x = 1\nimport os\n", "b.py": "import re\n"})
    trees.install("ruff", RUFF)

    assert trees.findings() == [("ruff:F401", "b.py:1", "medium")]


def test_where_nothing_is_found_in_the_candidate_its_base_is_not_asked_for(tmp_path: Path) -> None:
    trees = Trees(tmp_path, {"a.py": "import os\n"}, {"a.py": "x = 1\n"})
    trees.install("ruff", RUFF)

    def put_base() -> Path:
        raise AssertionError

    assert lint_changes(changes_of(trees.subject), execute, put_base, trees.tree, trees.environ) == []


def test_a_linter_that_ends_badly_is_told_and_nothing_else(tmp_path: Path) -> None:
    trees = Trees(tmp_path, {"a.py": "import os\n"}, {"a.py": "import re\n"})
    trees.install("ruff", "#!/bin/sh\necho 'bad configuration' >&2\nexit 2\n")
    trees.install("bandit", "#!/bin/sh\necho '<html>'\n")

    assert trees.findings() == [("ruff:fault", "", "low"), ("bandit:fault", "", "low")]


def test_a_program_that_is_not_installed_is_not_run(tmp_path: Path) -> None:
    trees = Trees(tmp_path, {".eslintrc.json": "{}", ".gitleaks.toml": ""}, {"a.js": "x\n"})
    trees.environ["PATH"] = str(trees.programs)

    assert trees.findings() == []


@pytest.mark.parametrize(
    ("files", "is_own"),
    [
        ({}, False),
        ({"ruff.toml": ""}, True),
        ({"pyproject.toml": "[tool.ruff]\n"}, True),
        ({"pyproject.toml": "[tool.black]\n"}, False),
        ({"pyproject.toml": "[tool"}, False),
    ],
)
def test_without_a_configuration_only_rules_that_mean_bugs_are_asked(
    tmp_path: Path, files: dict[str, str], is_own: bool
) -> None:
    trees = Trees(tmp_path, files, {"a.py": "x\n"})
    trees.install("ruff", RUFF)
    ruff = next(linter for linter in find_linters(trees.tree, trees.environ) if linter.name == "ruff")

    lint(ruff, execute, trees.tree, ["a.py"], trees.environ)

    assert ("--isolated" in trees.log) is not is_own


def test_a_name_that_looks_like_an_option_is_a_file(tmp_path: Path) -> None:
    trees = Trees(tmp_path, {}, {"--config.py": "import os\n"})
    trees.install("ruff", RUFF)

    assert trees.findings() == [("ruff:F401", "--config.py:1", "medium")]
    assert trees.log.endswith("-- ./--config.py\n")


def test_a_configuration_that_is_a_link_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").symlink_to("/dev/zero")

    assert find_linters(tmp_path, {"PATH": ""}) == []


def test_python_is_read_by_the_version_on_the_path(tmp_path: Path) -> None:
    trees = Trees(tmp_path, {}, {"a.py": "print 'old'\n", "b.py": "x = 1\n"})
    trees.environ["PATH"] = "/usr/bin:/bin"
    old = '#!/bin/sh\necho \'["./b.py", 1, "too new"]\'\necho \'["", 3, "end"]\'\n'

    found = check_candidate(trees.subject, Checkouts(execute, trees.tree, environ=trees.environ))
    trees.install("python3", old)
    told = check_candidate(
        trees.subject, Checkouts(execute, trees.tree, environ={"PATH": str(trees.programs)})
    )

    assert [finding.place for finding in found if finding.check == "compile"] == ["a.py:1"]
    assert [(finding.place, finding.blocks) for finding in told if finding.check == "compile"] == [
        ("b.py:1", True)
    ]


def test_a_python_that_does_not_end_well_is_not_believed(tmp_path: Path) -> None:
    trees = Trees(tmp_path, {}, {"a.py": "def (:\n"})
    trees.install("python3", "#!/bin/sh\nexit 0\n")

    found = check_candidate(
        trees.subject, Checkouts(execute, trees.tree, environ={"PATH": str(trees.programs)})
    )

    assert [finding.place for finding in found if finding.check == "compile"] == ["a.py:1"]


def test_javascript_is_broken_when_node_and_the_grammar_say_so(tmp_path: Path) -> None:
    files = {
        "a.js": "let = = 1\n",
        "module.js": "import x from 'y'\nexport default x\n",
        "view.js": "f(<b>x</b>)\n",
    }
    trees = Trees(tmp_path, {}, files)
    node = (
        "#!/bin/sh\nprintf '%s:1\\nlet = = 1\\n\\nSyntaxError: Unexpected token\\n' \"$PWD/$2\" >&2\nexit 1\n"
    )
    trees.install("node", node)

    found = check_candidate(trees.subject, Checkouts(execute, trees.tree, environ=trees.environ))

    assert [(finding.place, finding.blocks) for finding in found] == [("a.js:1", True)]


@settings(max_examples=60)
@given(st.lists(st.sampled_from("abc}"), max_size=30), st.lists(st.sampled_from("abc}"), max_size=30))
def test_added_lines_and_those_before_make_all_lines(before: list[str], after: list[str]) -> None:
    added = list(added_lines(before, after))

    rest = list(before)
    kept = [line for number, line in enumerate(after, 1) if number not in dict(added)]
    for line in kept:
        rest.remove(line)
    assert all(after[number - 1] == line for number, line in added)
    assert added == sorted(added)


def test_many_changed_lines_are_compared_in_time() -> None:
    before = [f"{n % 7}" for n in range(20_000)]
    after = [f"{n % 5}" for n in range(20_000)] + ["new"]

    assert (20_001, "new") in added_lines(before, after)


def test_names_with_spaces_and_other_letters_are_read(tmp_path: Path) -> None:
    store = two_trees(tmp_path, {"x": ({"a b/ü.py": "x = 1\n"}, {"a b/ü.py": "x = 2\n", "c\td": "y\n"})})

    files = changes_of(Subject(store, "base/x", "tree/x")).files

    assert [(file.path, file.added) for file in files] == [
        ("a b/ü.py", ((1, "x = 2"),)),
        ("c\\td", ((1, "y"),)),
    ]


def test_a_renamed_file_has_only_the_lines_that_changed(tmp_path: Path) -> None:
    body = "".join(f"x{n} = {n}\n" for n in range(30))
    store = two_trees(tmp_path, {"x": ({"a.py": body}, {"a.py": None, "b.py": body + "new = 1\n"})})

    changes = changes_of(Subject(store, "base/x", "tree/x"))

    assert changes.renames == {"a.py": "b.py"}
    assert changes.by_path["b.py"].added == ((31, "new = 1"),)


def test_a_file_that_is_too_large_is_not_read_and_blocks(tmp_path: Path) -> None:
    store = two_trees(tmp_path, {"x": ({}, {"a.py": b"#" * (LARGEST_BYTES + 1)})})

    found = check_candidate(Subject(store, "base/x", "tree/x"))

    assert [(finding.rule, finding.blocks) for finding in found] == [("unread", True)]
