"""Which runners a tree has, what they would run, and which files are their tests."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from orchestrator.config.settings import WorkSettings
from orchestrator.domain.json_types import Json
from workers.evidence.compiled_runners import Cargo, Go, Gradle, Maven
from workers.evidence.javascript_runners import ScriptCall, script_calls
from workers.evidence.python_runners import Pytest
from workers.evidence.runners import Found, find_runners

PYTHON_TEST = "import unittest\nclass T(unittest.TestCase):\n    def test_a(self): pass\n"
JS_TEST = "test('a', () => {});\n"
GO_TEST = "package a\n"


def write(tree: Path, files: Mapping[str, str]) -> Path:
    for path, text in files.items():
        (tree / path).parent.mkdir(parents=True, exist_ok=True)
        (tree / path).write_text(text)
    return tree


def find(tree: Path, changed: tuple[str, ...] = (), **work: object) -> Found:
    return find_runners(tree, WorkSettings(**work), {"PATH": ""}, changed)


TREES: dict[str, tuple[dict[str, str], list[tuple[str, str]]]] = {
    "nothing": ({"a.py": ""}, []),
    "unittest": ({"tests/test_a.py": PYTHON_TEST}, [("unittest", "")]),
    "pytest by a section": (
        {
            "pyproject.toml": "[tool.pytest.ini_options]\n",
            "pytest.ini": "[pytest]\n",
            "t/test_a.py": PYTHON_TEST,
        },
        [("pytest", "")],
    ),
    "pytest by a dependency": (
        {"pyproject.toml": "[dependency-groups]\ndev = ['pytest>=8']\n", "tests/test_a.py": PYTHON_TEST},
        [("pytest", "")],
    ),
    "pytest by requirements": (
        {"requirements-dev.txt": "ruff\npytest==8.1\n", "tests/test_a.py": PYTHON_TEST},
        [("pytest", "")],
    ),
    "pytest by a function": ({"test_a.py": "def test_a(): pass\n"}, [("pytest", "")]),
    "pytest by setup.cfg": ({"setup.cfg": "[tool:pytest]\n", "test_a.py": PYTHON_TEST}, [("pytest", "")]),
    "pytest with other names": (
        {"pytest.ini": "[pytest]\npython_files = check_*.py\n", "check_a.py": PYTHON_TEST, "test_b.py": ""},
        [("pytest", "")],
    ),
    "a broken manifest": ({"pyproject.toml": "[tool.pytest", "test_a.py": PYTHON_TEST}, [("unittest", "")]),
    "Django": ({"manage.py": "", "shop/tests/test_a.py": PYTHON_TEST}, []),
    "Django with pytest": (
        {"manage.py": "", "pytest.ini": "[pytest]\n", "shop/tests/test_a.py": PYTHON_TEST},
        [("pytest", "")],
    ),
    "one pytest over inner manifests": (
        {
            "pyproject.toml": "[tool.pytest.ini_options]\nminversion = '8'\n",
            "libs/a/pyproject.toml": "[project]\nname = 'a'\n",
            "libs/a/tests/test_a.py": PYTHON_TEST,
        },
        [("pytest", "")],
    ),
    "Python projects side by side": (
        {
            "a/pyproject.toml": "[tool.pytest.ini_options]\nminversion = '8'\n",
            "a/test_a.py": PYTHON_TEST,
            "b/setup.py": "",
            "b/test_b.py": PYTHON_TEST,
        },
        [("pytest", "a"), ("unittest", "b")],
    ),
    "vitest by its configuration": (
        {
            "package.json": '{"scripts": {"test": "turbo test"}}',
            "vitest.config.ts": "",
            "src/a.test.ts": JS_TEST,
        },
        [("vitest", "")],
    ),
    "jest by its section": ({"package.json": '{"jest": {}}', "__tests__/a.js": JS_TEST}, [("jest", "")]),
    "mocha by a dependency": (
        {"package.json": '{"devDependencies": {"mocha": "11"}}', "test/a.js": JS_TEST},
        [("mocha", "")],
    ),
    "node:test by its script": (
        {"package.json": '{"scripts": {"test": "node --test"}}', "a.test.mjs": JS_TEST},
        [("node:test", "")],
    ),
    "two JavaScript runners, one in the script": (
        {
            "package.json": '{"scripts": {"test": "mocha"}, "devDependencies": {"mocha": "1", "jest": "1"}}',
            "test/a.js": JS_TEST,
        },
        [("mocha", "")],
    ),
    "an unknown JavaScript runner": (
        {"package.json": '{"scripts": {"test": "ava"}}', "a.test.js": JS_TEST},
        [],
    ),
    "workspaces": (
        {
            "package.json": '{"workspaces": ["packages/*"]}',
            "packages/a/package.json": '{"scripts": {"test": "vitest run"}}',
            "packages/a/src/a.test.ts": JS_TEST,
            "packages/b/package.json": '{"scripts": {"test": "jest"}}',
            "packages/b/b.test.js": JS_TEST,
            "packages/c/package.json": '{"scripts": {"test": "jest"}}',
        },
        [("vitest", "packages/a"), ("jest", "packages/b")],
    ),
    "go": ({"go.mod": "module example.com/m\n", "a/a_test.go": GO_TEST}, [("go", "")]),
    "cargo workspace": (
        {
            "Cargo.toml": "[workspace]\n",
            "a/Cargo.toml": "[package]\n",
            "a/src/lib.rs": "#[test]\nfn a() {}\n",
        },
        [("cargo", "")],
    ),
    "cargo without tests": ({"Cargo.toml": "[package]\n", "src/lib.rs": "fn a() {}\n"}, []),
    "maven modules": (
        {"pom.xml": "<project/>", "a/pom.xml": "<project/>", "a/src/test/java/ATest.java": ""},
        [("maven", "")],
    ),
    "gradle": ({"build.gradle.kts": "", "src/test/kotlin/ATest.kt": ""}, [("gradle", "")]),
    "several languages": (
        {
            "pytest.ini": "[pytest]\n",
            "test_a.py": "",
            "web/package.json": '{"jest": {}}',
            "web/a.test.js": "",
        },
        [("pytest", ""), ("jest", "web")],
    ),
    "packages of others do not count": (
        {
            "package.json": "{}",
            ".gitignore": "node_modules\n.venv\n",
            "node_modules/x/package.json": '{"jest": {}}',
            "node_modules/x/a.test.js": "",
            ".venv/lib/test_x.py": PYTHON_TEST,
        },
        [],
    ),
}


@pytest.mark.parametrize("case", TREES)
def test_runners_are_told_from_the_files(case: str, tmp_path: Path) -> None:
    files, expected = TREES[case]

    found = find(write(tmp_path, files))

    assert [(runner.name, runner.root) for runner in found.runners] == expected
    assert found.why


@pytest.mark.parametrize(
    ("script", "why"),
    [
        (
            "xo && ava && tsd",
            "the test script in package.json (xo && ava && tsd) belongs to no runner known here: "
            "set `work.test_command`",
        ),
        ('echo \\"Error: no test specified\\" && exit 1', "the project has no tests"),
        ("", "the project has no tests"),
    ],
)
def test_a_script_of_no_known_runner_is_not_taken_for_no_tests(script: str, why: str, tmp_path: Path) -> None:
    tree = write(tmp_path, {"package.json": f'{{"scripts": {{"test": "{script}"}}}}', "test.js": JS_TEST})

    assert find(tree).why == why


def test_the_folder_of_the_changed_files_comes_first(tmp_path: Path) -> None:
    tree = write(
        tmp_path,
        {f"{p}/{n}": t for p in ("a", "b") for n, t in {"go.mod": "module m\n", "x_test.go": ""}.items()},
    )

    assert [runner.root for runner in find(tree).runners] == ["a", "b"]
    assert [runner.root for runner in find(tree, ("b/x.go",)).runners] == ["b", "a"]


def test_a_configured_command_is_the_only_runner(tmp_path: Path) -> None:
    tree = write(tmp_path, {"test_a.py": PYTHON_TEST, "check.sh": ""})

    found = find(tree, test_command=["./check.sh", "--junit={report}"])

    assert [runner.name for runner in found.runners] == ["own command"]
    assert found.runners[0].argv(Path("/out/r")) == ("./check.sh", "--junit=/out/r")
    assert found.runners[0].steering_files == ("/check.sh",)


def test_many_runners_are_bounded_and_it_is_said(tmp_path: Path) -> None:
    tree = write(tmp_path, {f"m{i}/{n}": "module m\n" for i in range(25) for n in ("go.mod", "x_test.go")})

    found = find(tree)

    assert len(found.runners) == 20
    assert found.why.endswith("5 more are left out")


SCRIPTS: dict[str, list[ScriptCall]] = {
    "vitest run --coverage": [ScriptCall("vitest")],
    "jest --config=jest.unit.js --watchAll --reporters default": [
        ScriptCall("jest", ("--config=jest.unit.js",))
    ],
    "npm run lint && cross-env NODE_ENV=test mocha --require ts-node/register 'test/**/*.ts'": [
        ScriptCall("mocha", ("--require", "ts-node/register", "test/**/*.ts"), (("NODE_ENV", "test"),))
    ],
    "NODE_OPTIONS=--experimental-vm-modules npx jest": [
        ScriptCall("jest", (), (("NODE_OPTIONS", "--experimental-vm-modules"),))
    ],
    "node --experimental-vm-modules node_modules/jest/bin/jest.js": [
        ScriptCall("jest", (), (("NODE_OPTIONS", "--experimental-vm-modules"),))
    ],
    "node --import tsx --test --test-reporter spec test/*.test.ts": [
        ScriptCall("node:test", ("--import", "tsx", "test/*.test.ts"))
    ],
    "jest $(cat list) | tee log": [ScriptCall("jest")],
    "mocha 'unclosed": [ScriptCall("mocha")],
    "tsc && vitest || exit 1; jest": [ScriptCall("vitest"), ScriptCall("jest")],
    "c8 --100 --statements 98 node --test": [ScriptCall("node:test")],
    "mocha -u tdd --ui=qunit --ui bdd -R spec test": [
        ScriptCall("mocha", ("--ui=tdd", "--ui=qunit", "--ui=bdd", "test"))
    ],
    "jest -u --ui": [ScriptCall("jest")],
    "standard && borp": [ScriptCall("node:test")],
    'echo "Error: no test specified" && exit 1': [],
    "": [],
}


@pytest.mark.parametrize("script", SCRIPTS)
def test_scripts_are_read_for_their_runner(script: str) -> None:
    assert script_calls(script) == SCRIPTS[script]


def test_scripts_that_a_script_runs_are_read_too() -> None:
    scripts: dict[str, Json] = {
        "test": "npm run lint && npm run unit && yarn types",
        "lint": "eslint . && npm test",
        "unit": "nyc npm run -s unit:all",
        "unit:all": "c8 node --test",
        "types": "pnpm run types; vitest --typecheck",
    }

    assert script_calls("npm test", scripts) == [
        ScriptCall("node:test"),
        ScriptCall("vitest", ("--typecheck",)),
    ]
    assert script_calls("npm run nothing && npm publish && npm run", scripts) == []


def test_options_of_the_script_are_kept_and_its_files_give_way_to_selected_ones(tmp_path: Path) -> None:
    script = "node --import tsx --test './test/*.check.ts' extra.ts"
    files = {
        "package.json": json.dumps({"scripts": {"test": script}}),
        **dict.fromkeys(
            (
                "test/a.check.ts",
                "test/deep/b.check.ts",
                "test/helper.ts",
                "extra.ts",
                "test/node_modules/x.check.ts",
            ),
            "",
        ),
        ".gitignore": "node_modules",
    }
    runner = find(write(tmp_path, files)).runners[0]

    everything, one = runner.argv(Path("/r")), runner.argv(Path("/r"), ["test/deep/b.check.ts::x"])

    assert everything[:4] == one[:4] == ("node", "--import", "tsx", "--test")
    assert (everything[6:], one[6:]) == (("extra.ts", "test/a.check.ts"), ("test/deep/b.check.ts",))


def test_the_tree_comes_before_what_is_installed(tmp_path: Path) -> None:
    files = {
        "pyproject.toml": "[tool.setuptools.packages.find]\nwhere = ['python', '../outside']\n",
        "src/a.py": "",
        "python/b.py": "",
        "test_a.py": PYTHON_TEST,
    }

    runner = find(write(tmp_path, files)).runners[0]

    assert runner.env["PYTHONPATH"] == f"{tmp_path}:{tmp_path}/src:{tmp_path}/python"


def test_selected_tests_never_read_as_options(tmp_path: Path) -> None:
    runner = Pytest(tmp_path, "libs/a")

    argv = runner.argv(Path("/out/r"), ["libs/a/-k.py::test_x[ a]", "libs/a/test_b.py"])

    assert argv[-3:] == ("--", "./-k.py::test_x[ a]", "test_b.py")
    assert runner.selection(["libs/a/t.py::x", "libs/a/t.py::x"]) == ("libs/a/t.py::x",)


def test_compiled_runners_select_by_name(tmp_path: Path) -> None:
    go = find(write(tmp_path, {"m/go.mod": "module example.com/m\n", "m/in/a_test.go": ""})).runners[0]
    ids = [
        "core/acme.LedgerTest::sum",
        "core/acme.LedgerTest::each(int)[2]",
        "core/src/test/java/acme/OtherTest.java",
    ]

    assert go.argv(Path("r"), ["m/in::TestA/sub", "m/in::TestB"])[-3:] == ("-run", "^(TestA|TestB)$", "./in")
    assert go.argv(Path("r"), ["m/in/a_test.go"])[-1] == "./in"
    assert Cargo(tmp_path).argv(Path("r"), ["a/src/lib.rs::tests::x"])[-3:] == ("--", "--exact", "tests::x")
    assert Maven(tmp_path).selection([*ids, "the build"]) == ()
    assert "-Dtest=acme.LedgerTest#sum,acme.LedgerTest#each,OtherTest" in Maven(tmp_path).argv(Path("r"), ids)
    assert Gradle(tmp_path).argv(Path("r"), ids[:1])[-2:] == ("--tests", "acme.LedgerTest.sum")


def test_what_is_missing_is_said_with_what_to_do(tmp_path: Path) -> None:
    python = write(tmp_path / "bin", {"python3": "#!/bin/sh\nexit 1\n"}) / "python3"
    python.chmod(0o755)

    assert Pytest(tmp_path).missing({"PATH": ""}) == "python3 is not on PATH: install Python 3"
    assert "has no pytest: set `work.setup`" in (Pytest(tmp_path).missing({"PATH": str(python.parent)}) or "")
    assert Maven(tmp_path).missing({"PATH": ""}) == "mvn is not on PATH: install Maven"


def test_a_runner_of_another_checkout_is_the_same_but_for_its_tree(tmp_path: Path) -> None:
    runner = Pytest(tmp_path / "a", "libs", sources=("src",))

    other = runner.at(tmp_path / "b")

    assert (other.folder, other.root, other.sources) == (tmp_path / "b/libs", "libs", ("src",))
    assert runner.tree_path(f"{tmp_path}/a/x.py") == "x.py"
    assert [runner.tree_path(path) for path in ("/etc/passwd", "../../x", "file:///etc/x")] == [
        None,
        None,
        None,
    ]


def test_go_takes_its_packages_from_the_vendor_folder_where_there_is_one(tmp_path: Path) -> None:
    runner = Go(tmp_path)
    assert runner.env["GOFLAGS"] == "-mod=readonly"

    (tmp_path / "vendor").mkdir()
    (tmp_path / "vendor/modules.txt").write_text("")

    assert runner.env["GOFLAGS"] == "-mod=vendor"
