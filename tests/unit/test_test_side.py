"""What is the test side of a tree, which tests a change affects, and how a checkout is made ready."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from orchestrator.config.settings import WorkSettings
from workers.evidence.affected import affected_tests
from workers.evidence.compiled_runners import Cargo, Go, Maven
from workers.evidence.environment_setup import plan_setup
from workers.evidence.javascript_runners import Jest
from workers.evidence.python_runners import Pytest
from workers.evidence.runner import Runner
from workers.evidence.test_side import changes_test_side, is_test_side

HERE = Path("/nowhere")
PYTEST, JEST, GO, CARGO, MAVEN = Pytest(HERE), Jest(HERE, "web"), Go(HERE), Cargo(HERE), Maven(HERE)

TEST_SIDE: list[tuple[str, Runner, bool]] = [
    ("tests/test_a.py", PYTEST, True),
    ("tests/data/golden.json", PYTEST, True),
    ("src/shop/test_cart.py", PYTEST, True),
    ("src/shop/cart.py", PYTEST, False),
    ("src/shop/conftest.py", PYTEST, True),
    ("pytest.ini", PYTEST, True),
    ("sitecustomize.py", PYTEST, True),
    ("src/shop/test/client.py", PYTEST, False),
    ("test/helper.py", PYTEST, True),
    ("src/latest.py", PYTEST, False),
    (".coveragerc", PYTEST, True),
    ("ruff.toml", PYTEST, True),
    (".github/workflows/ci.yml", PYTEST, True),
    (".github/README.md", PYTEST, False),
    ("pyproject.toml", PYTEST, False),
    ("web/src/cart.test.ts", JEST, True),
    ("web/src/__snapshots__/cart.test.ts.snap", JEST, True),
    ("web/jest.config.js", JEST, True),
    ("web/babel.config.js", JEST, True),
    ("web/test/helper.js", JEST, True),
    ("web/src/cart.ts", JEST, False),
    ("web/src/contest.ts", JEST, False),
    ("ledger/add_test.go", GO, True),
    ("ledger/testdata/in.txt", GO, True),
    ("ledger/add.go", GO, False),
    ("a/tests/it.rs", CARGO, True),
    (".cargo/config.toml", CARGO, True),
    ("a/src/lib.rs", CARGO, False),
    ("core/src/test/java/acme/LedgerTest.java", MAVEN, True),
    ("core/src/test/resources/data.csv", MAVEN, True),
    ("core/src/main/java/acme/Ledger.java", MAVEN, False),
    ("core/src/test/resources/data.csv", PYTEST, True),
]


@pytest.mark.parametrize(("path", "runner", "expected"), TEST_SIDE)
def test_the_test_side_is_told_by_the_path(path: str, runner: Runner, expected: bool) -> None:
    assert is_test_side(path, [runner]) is expected


POM = "<project><build><plugins><plugin><artifactId>{}</artifactId>{}</plugin></plugins></build></project>"
STEERING: list[tuple[str, str | None, str | None, bool]] = [
    ("pyproject.toml", "[project]\nname = 'a'\n", "[project]\nname = 'b'\n", False),
    ("pyproject.toml", "", "[tool.pytest.ini_options]\naddopts = '-k fast'\n", True),
    ("pyproject.toml", "[tool.ruff]\nline-length = 88\n", "[tool.ruff]\nline-length = 120\n", True),
    ("pyproject.toml", "[tool.uv]\ndev = true\n", "[tool.uv]\ndev = false\n", False),
    ("pyproject.toml", "", "[project.entry-points.pytest11]\nx = 'y'\n", True),
    ("pyproject.toml", "[tool.pytest", "[tool.pytest ", True),
    ("package.json", '{"scripts": {"test": "jest"}}', '{"scripts": {"test": "exit 0"}}', True),
    ("package.json", '{"scripts": {"test": "jest"}}', '{"scripts": {"test": "jest", "dev": "x"}}', False),
    ("package.json", "{}", '{"jest": {"bail": true}}', True),
    ("web/package.json", '{"dependencies": {}}', '{"dependencies": {"x": "1"}}', False),
    ("package.json", None, '{"name": "x"}', False),
    ("package.json", '{"scripts": {"pretest": "lint"}}', None, True),
    ("setup.cfg", "[metadata]\nname = a\n", "[metadata]\nname = b\n", False),
    ("setup.cfg", "[tool:pytest]\n", "[tool:pytest]\naddopts = -x\n", True),
    ("tox.ini", "[testenv]\ncommands = pytest\n", "[testenv]\ncommands = true\n", True),
    ("Cargo.toml", "[dependencies]\n", "[dependencies]\nx = '1'\n", False),
    ("Cargo.toml", "[lib]\nname = 'a'\n", "[lib]\nname = 'a'\ntest = false\n", True),
    ("pom.xml", POM.format("maven-jar-plugin", ""), POM.format("maven-jar-plugin", "<x/>"), False),
    (
        "pom.xml",
        POM.format("maven-surefire-plugin", ""),
        POM.format("maven-surefire-plugin", "<skip/>"),
        True,
    ),
    (
        "pom.xml",
        "<project/>",
        "<project><properties><skipTests>true</skipTests></properties></project>",
        True,
    ),
    ("build.gradle", "test {\n  useJUnitPlatform()\n}\n", "test {\n  enabled = false\n}\n", True),
    ("build.gradle", "plugins {\n  id 'java'\n}\n", "plugins {\n  id 'war'\n}\n", False),
    ("build.gradle", "apply plugin: 'java'\n", "apply plugin: 'war'\nversion = '2'\n", False),
    (
        "build.gradle.kts",
        'dependencies {\n  implementation("a:b:1")\n}\n',
        'dependencies {\n  implementation("a:b:2") // newer\n  api(project(":core"))\n}\n',
        False,
    ),
    ("build.gradle", "", "gradle.buildFinished { file('a.xml').text = '' }\n", True),
    ("build.gradle", "", "test.enabled = false\n", True),
    ("build.gradle", "", "test.exclude 'a'\n", True),
    ("build.gradle", "test {\n}\n", "test {\n  exclude 'a'\n}\n", True),
    ("build.gradle.kts", "", 'tasks.named<Test>("test") {\n  enabled = false\n}\n', True),
    ("conftest.py", None, "", True),
    ("src/a.py", "", "x = 1\n", False),
]


@pytest.mark.parametrize(("path", "before", "after", "expected"), STEERING)
def test_of_a_manifest_only_what_steers_tests_counts(
    path: str, before: str | None, after: str | None, expected: bool
) -> None:
    assert changes_test_side(path, before, after, [PYTEST]) is expected


def write(tree: Path, files: Mapping[str, str]) -> Path:
    for path, text in files.items():
        (tree / path).parent.mkdir(parents=True, exist_ok=True)
        (tree / path).write_text(text)
    return tree


PYTHON_TREE = {
    "src/shop/__init__.py": "",
    "src/shop/money.py": "",
    "src/shop/cart.py": "from .money import Money\n",
    "src/shop/report.py": "import shop.cart as cart\n",
    "src/shop/lonely.py": "",
    "tests/test_money.py": "from shop import money\n",
    "tests/test_report.py": "from shop.report import text\n",
    "tests/test_other.py": "import json\n",
    "tests/conftest.py": "",
    "README.md": "",
    "data.csv": "",
    "requirements.txt": "",
    "src/shop/words.txt": "",
}
AFFECTED: list[tuple[tuple[str, ...], set[str] | None]] = [
    (("src/shop/money.py",), {"tests/test_money.py", "tests/test_report.py"}),
    (("src/shop/report.py",), {"tests/test_report.py"}),
    (("src/shop/lonely.py", "README.md"), set()),
    (("src/shop/__init__.py",), {"tests/test_money.py", "tests/test_report.py"}),
    (("tests/test_other.py",), {"tests/test_other.py"}),
    (("tests/conftest.py",), None),
    (("data.csv",), None),
    (("src/shop/gone.py",), None),  # who imports a file that is gone cannot be told
    (("pyproject.toml",), None),
    (("requirements.txt",), None),
    (("src/shop/words.txt",), None),
]


@pytest.mark.parametrize(("changed", "expected"), AFFECTED)
def test_affected_python_tests_are_found_by_imports(
    changed: tuple[str, ...], expected: set[str] | None, tmp_path: Path
) -> None:
    tree = write(tmp_path, PYTHON_TREE)

    found = affected_tests(tree, changed, [Pytest(tree)])

    assert found.everything is (expected is None)
    assert set(found.files) == (expected or set())
    assert found.why


@pytest.mark.parametrize("loader", ["tests/conftest.py", "conftest.py", "tests/__init__.py"])
def test_what_is_loaded_before_a_test_leads_to_it(loader: str, tmp_path: Path) -> None:
    tree = write(tmp_path, {**PYTHON_TREE, loader: "from shop.lonely import fixture\n"})

    found = affected_tests(tree, ["src/shop/lonely.py"], [Pytest(tree)])

    assert set(found.files) == {path for path in PYTHON_TREE if path.startswith("tests/test_")}


SCRIPTS = {"src/a.ts": "", "src/a.test.ts": "import './a';\n", "src/b.test.ts": "import '@/a';\n"}


@pytest.mark.parametrize(
    "more",
    [
        {"jest.setup.ts": "import './src/a';\n"},
        {"src/Shown.vue": "<script>import './a'</script>\n"},
        {"tsconfig.json": '{"compilerOptions": {"paths": {"@/*": ["src/*"]}}}'},
        {"package.json": '{"workspaces": ["packages/*"]}'},
        {"package.json": '{"jest": {"moduleNameMapper": {"^@/(.*)$": "<rootDir>/src/$1"}}}'},
        {"pnpm-workspace.yaml": "packages:\n  - packages/*\n"},
        {"vite.config.ts": "export default { resolve: { alias: { '@': '/src' } } }\n"},
    ],
)
def test_all_tests_are_affected_where_imports_of_a_script_are_not_known(
    more: dict[str, str], tmp_path: Path
) -> None:
    tree = write(tmp_path, {**SCRIPTS, "package.json": '{"name": "a"}', "tsconfig.json": "{}", **more})

    assert affected_tests(tree, ["src/a.ts"], [Jest(tree)]).everything


def test_names_of_folders_and_components_say_nothing_of_other_languages(tmp_path: Path) -> None:
    scripts = {**SCRIPTS, "package.json": '{"name": "a"}', "tsconfig.json": "{}"}
    tree = write(tmp_path, {**PYTHON_TREE, **scripts, "web/Shown.vue": ""})

    assert affected_tests(tree, ["src/shop/report.py"], [Pytest(tree)]).files == ("tests/test_report.py",)
    write(tree, {"src/shop/fast.pyx": "from shop.report import text\n"})
    assert affected_tests(tree, ["src/shop/report.py"], [Pytest(tree)]).everything


def test_affected_javascript_and_go_tests_are_found_by_imports(tmp_path: Path) -> None:
    tree = write(
        tmp_path,
        {
            "src/money.ts": "export const x = 1;\n",
            "src/cart.ts": "import { x } from './money.js';\n",
            "src/cart.test.ts": "import { y } from './cart';\n",
            "src/other.test.ts": "const z = require('./other');\n",
            "go.mod": "module example.com/m\n",
            "ledger/add.go": "package ledger\n",
            "ledger/add_test.go": "package ledger\n",
            "app/app.go": 'package app\nimport "example.com/m/ledger"\n',
            "app/app_test.go": "package app\n",
            "far/far_test.go": "package far\n",
        },
    )
    runners = [Jest(tree), Go(tree, module="example.com/m")]

    assert set(affected_tests(tree, ["src/money.ts"], runners).files) == {"src/cart.test.ts"}
    assert set(affected_tests(tree, ["ledger/add.go"], runners).files) == {
        "ledger/add_test.go",
        "app/app_test.go",
    }


def programs(folder: Path, *names: str) -> dict[str, str]:
    for name in names:
        write(folder, {name: "#!/bin/sh\n"})
        (folder / name).chmod(0o755)
    return {"PATH": str(folder)}


def test_set_up_installs_what_lock_files_pin(tmp_path: Path) -> None:
    tree = write(
        tmp_path / "work", {"uv.lock": "", "pyproject.toml": "", "web/package-lock.json": "{}", "go.sum": ""}
    )
    environ = {**programs(tmp_path / "bin", "uv", "npm"), "HOME": str(tmp_path / "home")}

    plan = plan_setup(tree, WorkSettings(), environ)

    assert [(step.argv[:2], step.folder) for step in plan.steps] == [
        (("uv", "sync"), ""),
        (("npm", "ci"), "web"),
    ]
    assert "--frozen" in plan.steps[0].argv and "--ignore-scripts" in plan.steps[1].argv
    assert plan.env["PATH"] == f"{tmp_path}/environment/python/bin:{tmp_path}/bin"
    assert plan.writable == (tmp_path / "environment/python", tmp_path / "home/.npm")
    assert [step.logins for step in plan.steps] == [(), (tmp_path / "home/.npmrc",)]
    assert plan.network
    assert "go.sum is left alone: go is not on PATH" in plan.why


def test_set_up_fills_the_caches_of_the_user(tmp_path: Path) -> None:
    home = tmp_path / "home"
    tree = write(
        tmp_path / "work",
        {"Cargo.lock": "", "go.sum": "", "pom.xml": "<project/>", "package-lock.json": "{}"},
    )
    write(home, {".m2/settings.xml": "<localRepository>${user.home}/jars</localRepository>"})
    environ = {
        **programs(tmp_path / "bin", "npm", "cargo", "go", "mvn"),
        "HOME": str(home),
        "CARGO_HOME": "/opt/cargo",
        "GOPATH": "/srv/go",
        "npm_config_cache": "/srv/npm",
    }

    plan = plan_setup(tree, WorkSettings(), environ)

    assert {str(folder) for folder in plan.writable} == {
        *("/opt/cargo/registry", "/opt/cargo/git", "/srv/go/pkg/mod", "/srv/npm", f"{home}/jars")
    }
    assert plan.env["GOMODCACHE"] == "/srv/go/pkg/mod" and plan.env["CARGO_HOME"] == "/opt/cargo"
    assert [step.argv[0] for step in plan.steps if not step.installs_beside] == ["cargo", "go", "mvn"]
    assert plan.steps[-1].argv[:2] == ("npm", "ci")  # the others' build folders are cleaned before


def test_set_up_of_maven_runs_one_test_class_of_each_module(tmp_path: Path) -> None:
    """What surefire fetches when it runs, no goal fetches before."""
    tests = (
        "core/src/test/java/a/OneTest.java",
        "core/src/test/java/a/TwoTest.java",
        "web/src/test/java/WebTests.java",
    )
    tree = write(tmp_path / "work", {"pom.xml": "<project/>", **dict.fromkeys(tests, "")})

    (step,) = plan_setup(tree, WorkSettings(), programs(tmp_path / "bin", "mvn")).steps

    assert "-Dtest=OneTest,WebTests" in step.argv and step.argv[-1] == "test"


def test_set_up_without_lock_file_does_nothing(tmp_path: Path) -> None:
    tree = write(tmp_path / "work", {"requirements.txt": "flask\n", "package.json": "{}"})

    plan = plan_setup(tree, WorkSettings(), programs(tmp_path / "bin", "uv", "npm", "pip"))

    assert (plan.steps, plan.network, plan.why) == ((), False, "no lock file says what to install")


def test_a_configured_set_up_is_the_only_one(tmp_path: Path) -> None:
    tree = write(tmp_path / "work", {"uv.lock": ""})

    plan = plan_setup(tree, WorkSettings(setup=["make", "ready"]), programs(tmp_path / "bin", "uv"))

    assert [step.argv for step in plan.steps] == [("make", "ready")]
