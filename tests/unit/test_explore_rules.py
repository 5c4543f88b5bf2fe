"""Ignore rules, manifests, symbols and imports, on plain values."""

import os
import subprocess
import time
from pathlib import Path

import pytest

from orchestrator.domain.errors import UnknownName
from orchestrator.domain.project_facts import frontend_frameworks
from tests.patience import patient
from workers.explore.ignore import MAX_WILDCARD_RULES, IgnoreRules
from workers.explore.imports import Resolver
from workers.explore.inventory import take_inventory
from workers.explore.kinds import role_of
from workers.explore.knowledge import knowledge
from workers.explore.manifests import Dependency, read_manifest
from workers.explore.ranking import SearchIndex, query_words
from workers.explore.root import Root, shown
from workers.explore.symbols import parse


def never() -> bool:
    return False


RULES = {
    ".gitignore": "*.log\n!keep.log\n/build/\ndocs/*.txt\n**/gen/\na/**/z\nfoo/*\n!foo/bar\n\\#odd\n!\n[\n*.t?p\nspaced  \n",
    "sub/.gitignore": "!deep.log\n*.py\n!/top.py\n",
    "white/.gitignore": "*\n!*/\n!*.py\n!.gitignore\n",
}
PATHS = [
    "x.log",
    "keep.log",
    "build/a",
    "sub/build/b",
    "docs/a.txt",
    "docs/in/a.txt",
    "gen/a",
    "sub/gen/b",
    "a/z",
    "a/b/c/z",
    "foo/x",
    "foo/bar/y",
    "#odd",
    "x.tmp",
    "spaced",
    "sub/deep.log",
    "sub/x.log",
    "sub/a.py",
    "sub/top.py",
    "sub/in/top.py",
    "white/a.py",
    "white/a.txt",
    "white/in/b.py",
    "white/in/b.txt",
    "excluded.me",
    "z",
]


def test_inventory_lists_exactly_what_git_would_track(tmp_path: Path) -> None:
    for path, text in {**RULES, **dict.fromkeys(PATHS, "x")}.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
    (tmp_path / ".git/info/exclude").write_text("excluded.*\n")
    command = ["git", "ls-files", "-z", "--others", "--exclude-standard"]
    wanted = subprocess.run(command, cwd=tmp_path, check=True, capture_output=True, text=True).stdout

    with Root(tmp_path) as root:
        found = take_inventory(root, late=never)

    assert [file.path for file in found.files] == sorted(filter(None, wanted.split("\0")))


def test_a_hundred_thousand_ignore_rules_are_applied_in_time() -> None:
    lines = [f"/generated/part{i}/" for i in range(100_000)]
    started = time.monotonic()

    rules = IgnoreRules(lines)
    verdicts = [rules.decide(f"generated/part{i}", True) for i in range(0, 100_000, 10)]

    assert all(verdicts)
    assert rules.decide("generated/part5", False) is None
    assert time.monotonic() - started < patient(5)


def test_wildcard_rules_beyond_the_limit_are_counted_not_tried() -> None:
    rules = IgnoreRules([f"*{i}.o" for i in range(MAX_WILDCARD_RULES + 7)])

    assert rules.left_out == 7
    assert rules.decide("5.o", False) is True


def test_a_rule_made_to_backtrack_does_not_hang() -> None:
    started = time.monotonic()

    verdict = IgnoreRules(["*a" * 25 + "b"]).decide("a" * 250, False)

    assert verdict is None
    assert time.monotonic() - started < 2


@pytest.mark.parametrize(
    ("path", "text", "expected"),
    [
        ("package.json", '{"dependencies": {"react": "^18.2"}}', Dependency("react", "^18.2")),
        (
            "pyproject.toml",
            "[project]\ndependencies = [\"fastapi[all]>=0.110; python_version>'3'\"]",
            Dependency("fastapi", ">=0.110"),
        ),
        ("pyproject.toml", '[tool.poetry.dependencies]\nflask = {version = "^3"}', Dependency("flask", "^3")),
        (
            "requirements-dev.txt",
            "# x\n-r a.txt\npytest==8.0\n",
            Dependency("pytest", "==8.0", "development"),
        ),
        ("setup.cfg", "[options]\ninstall_requires =\n  click>=8\n", Dependency("click", ">=8")),
        (
            "setup.py",
            "from setuptools import setup\nsetup(name='a', install_requires=['attrs>=22'])",
            Dependency("attrs", ">=22"),
        ),
        (
            "Cargo.toml",
            '[dependencies]\ntokio = { version = "1.3", features = ["full"] }',
            Dependency("tokio", "1.3"),
        ),
        (
            "go.mod",
            "module a.b/c\ngo 1.22\nrequire (\n\tgithub.com/gin-gonic/gin v1.9.1\n)",
            Dependency("github.com/gin-gonic/gin", "v1.9.1"),
        ),
        (
            "pom.xml",
            '<?xml version="1.0"?><project xmlns="http://maven.apache.org/POM/4.0.0"><properties><v>5.1</v></properties><dependencies><dependency>'
            "<groupId>g</groupId><artifactId>junit</artifactId><version>${v}</version><scope>test</scope></dependency></dependencies></project>",
            Dependency("g:junit", "5.1", "development"),
        ),
        ("build.gradle", "dependencies {\n  implementation 'a.b:c:1.0'\n}", Dependency("a.b:c", "1.0")),
        ("Gemfile", "gem 'rails', '~> 7.1'", Dependency("rails", "~> 7.1")),
        (
            "composer.json",
            '{"require": {"laravel/framework": "^11"}}',
            Dependency("laravel/framework", "^11"),
        ),
        (
            "Dockerfile",
            "FROM python:3.12-slim AS base\nFROM base\n",
            Dependency("python", "3.12-slim", "image"),
        ),
        (
            "docker-compose.yml",
            "services:\n  db:\n    image: postgres:16\n",
            Dependency("postgres", "16", "image"),
        ),
    ],
)
def test_manifest_yields_its_dependency_as_written(path: str, text: str, expected: Dependency) -> None:
    found = read_manifest(path, text)

    assert expected in found.dependencies
    assert not found.fault


@pytest.mark.parametrize(
    "path",
    ["package.json", "pyproject.toml", "setup.cfg", "setup.py", "Cargo.toml", "pom.xml", "composer.json"],
)
@pytest.mark.parametrize("text", ["{", "[" * 100_000, "\x00", "<a>" * 100_000, "((((", "\n= ["])
def test_broken_manifest_is_a_fault_and_never_raises(path: str, text: str) -> None:
    found = read_manifest(path, text)

    assert not found.dependencies


def test_pom_with_a_document_type_is_refused() -> None:
    text = '<!DOCTYPE p [<!ENTITY a SYSTEM "file:///etc/passwd">]><project><artifactId>&a;</artifactId></project>'

    found = read_manifest("pom.xml", text)

    assert "document type" in found.fault
    assert found.name == ""


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('{"devDependencies": {"vue": "3", "left-pad": "1"}}', ["Vue"]),
        ('{"dependencies": {"express": "4"}}', []),
        ("{", []),
        ("[]", []),
        ('{"dependencies": ["react"]}', []),
        ("[" * 100_000, []),
        ("", []),
    ],
)
def test_frontend_frameworks_never_raises(text: str, expected: list[str]) -> None:
    assert frontend_frameworks(text) == expected


@pytest.mark.parametrize(
    ("extension", "text", "names", "imports"),
    [
        (
            "py",
            "from ..a import b as c\nimport os.path as p\nclass A:\n  def m(self): ...\nK = 1\n",
            {"A", "m", "K"},
            {"..a", "..a.b", "os.path"},
        ),
        ("js", "const f = require('fs'); class A { b() {} }; import x from './y'", {"A", "b"}, {"fs", "./y"}),
        (
            "ts",
            "import {a} from './a'; interface I {} type T = string; const g = () => 1",
            {"I", "T", "g"},
            {"./a"},
        ),
        ("tsx", "export const App = () => <div/>", {"App"}, set()),
        ("go", 'package m\nimport "fmt"\ntype S struct{}\nfunc (s S) Do() {}', {"S", "Do"}, {"fmt"}),
        ("rs", "use crate::a::B;\npub struct S;\ntrait T {}\nfn f() {}", {"S", "T", "f"}, {"crate::a::B"}),
        ("java", "import a.b.C; public class D { void m() {} }", {"D", "m"}, {"a.b.C"}),
    ],
)
def test_parsing_finds_names_and_imports(
    extension: str, text: str, names: set[str], imports: set[str]
) -> None:
    found = parse(text, extension, late=never)

    assert found is not None
    assert {name for name, _ in found.names} == names
    assert set(found.imports) == imports


def test_parsing_is_given_up_when_the_time_is_up() -> None:
    started = time.monotonic()

    found = parse("(\n" * 100_000, "py", late=lambda: True)

    assert found is None
    assert time.monotonic() - started < 1


@pytest.mark.parametrize(
    ("importer", "module", "expected"),
    [
        ("pkg/a.py", ".b", ["pkg/b.py"]),
        ("pkg/a.py", "pkg.b", ["pkg/b.py"]),
        ("pkg/a.py", "typing", []),
        ("pkg/a.py", "types.x", []),
        ("web/a.ts", "./b.js", ["web/b.ts"]),
        ("web/a.ts", "../../../etc/passwd", []),
        ("cmd/m.go", "x.y/z/store", ["store/s.go"]),
        ("rs/src/main.rs", "crate::model::Item", ["rs/src/model.rs"]),
        ("j/A.java", "com.x.B", ["src/main/java/com/x/B.java"]),
    ],
)
def test_import_resolves_to_the_projects_own_file_only(
    importer: str, module: str, expected: list[str]
) -> None:
    paths = ["pkg/__init__.py", "pkg/a.py", "pkg/b.py", "pkg/typing.py", "web/a.ts", "web/b.ts", "store/s.go"]
    paths += ["rs/src/main.rs", "rs/src/model.rs", "src/main/java/com/x/B.java"]

    assert Resolver(paths, {"x.y/z": ""}).files(importer, module) == expected


@pytest.mark.parametrize(
    "hostile", ['" OR *', "NEAR(a b)", "path:secret", "a* -b ^c", "'; DROP TABLE files", "\0", "((("]
)
def test_search_words_cannot_speak_the_query_language(hostile: str) -> None:
    with SearchIndex(never) as index:
        index.add("a.py", "nothing of the kind")
        assert index.search(query_words([hostile])) == {}
        index._rows("SELECT rowid, 0 FROM files WHERE files MATCH ?", [hostile])


@pytest.mark.parametrize(
    ("query", "body"),
    [("用户登录", "处理用户的登录"), ("userName", "the user_name field"), ("exploring", "explored")],
)
def test_search_finds_pairs_humps_and_stems(query: str, body: str) -> None:
    with SearchIndex(never) as index:
        index.add("hit.py", body)
        index.add("miss.py", "unrelated text 其他")

        assert list(index.search(query_words([query]))) == ["hit.py"]


@pytest.mark.parametrize(
    ("path", "role"),
    [
        ("tests/test_a.py", "test"),
        ("src/a.test.ts", "test"),
        ("go.mod", "manifest"),
        ("main.go", "entry point"),
        ("README.md", "documentation"),
        ("db/migrations/1.sql", "schema"),
        (".github/workflows/ci.yml", "ci"),
        ("src/a.rs", "source"),
        ("x.bin", "other"),
        ("latest/a.py", "source"),
    ],
)
def test_role_follows_from_the_path(path: str, role: str) -> None:
    assert role_of(path, knowledge()) == role


def test_unknown_angle_lists_the_eighteen_known_ones() -> None:
    with pytest.raises(UnknownName) as raised:
        knowledge().angle("beauty")

    assert len(raised.value.why.split(", ")) == 18


def test_shown_names_hold_no_control_and_no_broken_bytes() -> None:
    assert shown("caf\udce9\n\x1b[31m\u202e") == "caf\\xe9\\n\\x1b[31m\\u202e"
    assert shown("文件.py") == "文件.py"


def test_reading_follows_no_link_and_waits_for_no_pipe(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out/secret").write_text("secret")
    inside = tmp_path / "in"
    inside.mkdir()
    (inside / "link").symlink_to(tmp_path / "out/secret")
    (inside / "folder").symlink_to(tmp_path / "out")
    os.mkfifo(inside / "pipe")

    with Root(inside) as root:
        read = [root.read(path, 100) for path in ("link", "folder/secret", "../out/secret", "pipe", "gone")]

    assert read == [None] * 5
