"""Dependencies as the project's manifests write them: read as text, nothing is run, nothing is resolved."""

from __future__ import annotations

import ast
import json
import re
import tomllib
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from orchestrator.domain.dataclass import dataclass, field
from orchestrator.domain.json_types import Json, JsonObject
from orchestrator.domain.patterns import expression
from orchestrator.domain.project_facts import DEPENDENCY_FIELDS, frontend_frameworks
from workers.host.python_syntax import parse_python

if TYPE_CHECKING:
    from xml.etree import ElementTree  # 1 MB with its parser, and few projects have a pom.xml

MAX_BYTES = 2 * 1024 * 1024
_MAX_DEPTH = 100
_REQUIREMENT = expression(r"\s*([A-Za-z0-9][\w.-]*)\s*(?:\[[^\]]*\])?\s*\(?((?:[=<>!~]=?=?|@)[^;#)]*)?")
_GRADLE = expression(
    r"""^\s*(?:api|implementation|compileOnly|runtimeOnly|kapt|annotationProcessor|test\w+|androidTest\w+)\b"""
    r"""[\s(]*(?:platform\()?["']([\w.-]+):([\w.-]+)(?::([^"'@]+))?""",
    re.MULTILINE,
)
_GEM = expression(r"""^\s*gem\s+["']([\w-]+)["'](?:\s*,\s*["']([^"']+)["'])?""", re.MULTILINE)
_FROM = expression(r"^\s*FROM\s+(?:--\S+\s+)*(\S+)", re.MULTILINE | re.IGNORECASE)
_IMAGE = expression(r"""^\s*image:\s*["']?([^\s"'#]+)""", re.MULTILINE)
_GO_REQUIRE = expression(
    r"^\s*(?:require\s+)?([\w.-]+\.[\w.-]+/\S+|[\w-]+\.[\w.-]+)\s+(v\S+)(.*)$", re.MULTILINE
)


@dataclass(frozen=True, slots=True)
class Dependency:
    name: str
    version: str = ""  # as written; empty when none is
    scope: str = "runtime"  # runtime, development, image, language


@dataclass(slots=True)
class Manifest:
    path: str
    kind: str
    name: str = ""  # of the project it describes
    dependencies: list[Dependency] = field(default_factory=list)
    entry_points: list[str] = field(default_factory=list)
    frontend: list[str] = field(default_factory=list)
    fault: str = ""


class _Unreadable(ValueError):
    """The manifest's text is not of its format."""


def _table(value: Json) -> JsonObject:
    return value if isinstance(value, dict) else {}


def _list(value: Json) -> list[Json]:
    return value if isinstance(value, list) else []


def _version(value: Json) -> str:
    """A version as Cargo, Poetry and npm write it: text, or a table with `version`."""
    value = value.get("version", "") if isinstance(value, dict) else value
    return value if isinstance(value, str) else ""


def _requirement(line: Json, scope: str = "runtime") -> Iterator[Dependency]:
    if isinstance(line, str) and (match := _REQUIREMENT.match(line)):
        yield Dependency(match[1], (match[2] or "").strip(), scope)


def _package_json(text: str, into: Manifest) -> None:
    data = _table(json.loads(text))
    into.name = str(data.get("name", ""))
    for name in DEPENDENCY_FIELDS:
        scope = "development" if name == "devDependencies" else "runtime"
        into.dependencies += [Dependency(n, _version(v), scope) for n, v in _table(data.get(name)).items()]
    into.dependencies += [
        Dependency(n, _version(v), "language") for n, v in _table(data.get("engines")).items()
    ]
    commands = data.get("bin")
    into.entry_points += [p for p in (data.get("main"), commands) if isinstance(p, str)]
    into.entry_points += [p for p in _table(commands).values() if isinstance(p, str)]
    into.frontend = frontend_frameworks(text)


def _pyproject(text: str, into: Manifest) -> None:
    data = tomllib.loads(text)
    project, tool = _table(data.get("project")), _table(data.get("tool"))
    poetry = _table(tool.get("poetry"))
    into.name = str(project.get("name") or poetry.get("name") or "")
    if isinstance(project.get("requires-python"), str):
        into.dependencies.append(Dependency("Python", project["requires-python"], "language"))
    for line in _list(project.get("dependencies")):
        into.dependencies += _requirement(line)
    groups = _table(project.get("optional-dependencies")) | _table(data.get("dependency-groups"))
    for lines in groups.values():
        for line in _list(lines):
            into.dependencies += _requirement(line, "development")
    for line in _list(_table(data.get("build-system")).get("requires")):
        into.dependencies += _requirement(line, "development")
    for name, value in _table(poetry.get("dependencies")).items():
        into.dependencies.append(
            Dependency(name, _version(value), "language" if name == "python" else "runtime")
        )
    for group in (poetry, *_table(poetry.get("group")).values()):
        keys = ("dev-dependencies",) if group is poetry else ("dependencies",)
        for key in keys:
            into.dependencies += [
                Dependency(n, _version(v), "development") for n, v in _table(_table(group).get(key)).items()
            ]
    scripts = _table(project.get("scripts")) | _table(poetry.get("scripts"))
    into.entry_points += [f"{name} = {target}" for name, target in scripts.items() if isinstance(target, str)]


def _requirements(text: str, into: Manifest) -> None:
    scope = "development" if re.search(r"dev|test|lint|doc", into.path.rpartition("/")[2]) else "runtime"
    for line in text.splitlines():
        if line.strip() and not line.lstrip().startswith(("#", "-")) and "://" not in line.split("@")[0]:
            into.dependencies += _requirement(line, scope)


def _setup_cfg(text: str, into: Manifest) -> None:
    import configparser

    parser = configparser.ConfigParser(interpolation=None, strict=False)
    try:
        parser.read_string(text)
    except configparser.Error as error:
        raise _Unreadable(str(error)) from error
    into.name = parser.get("metadata", "name", fallback="")
    for line in parser.get("options", "install_requires", fallback="").splitlines():
        into.dependencies += _requirement(line)
    if parser.has_section("options.extras_require"):
        for _, lines in parser.items("options.extras_require"):
            for line in lines.splitlines():
                into.dependencies += _requirement(line, "development")


def _setup_py(text: str, into: Manifest) -> None:
    """Only what is written out as a literal in the call of setup()."""
    for node in ast.walk(parse_python(text)):
        if not (
            isinstance(node, ast.Call) and getattr(node.func, "id", getattr(node.func, "attr", "")) == "setup"
        ):
            continue
        for keyword in node.keywords:
            if keyword.arg == "name" and isinstance(keyword.value, ast.Constant):
                into.name = str(keyword.value.value)
            if keyword.arg == "install_requires" and isinstance(keyword.value, ast.List | ast.Tuple):
                for item in keyword.value.elts:
                    into.dependencies += _requirement(getattr(item, "value", None))


def _cargo(text: str, into: Manifest) -> None:
    data = tomllib.loads(text)
    into.name = str(_table(data.get("package")).get("name", ""))
    tables = [data, _table(data.get("workspace")), *map(_table, _table(data.get("target")).values())]
    for key, scope in (
        ("dependencies", "runtime"),
        ("dev-dependencies", "development"),
        ("build-dependencies", "development"),
    ):
        for table in tables:
            into.dependencies += [
                Dependency(n, _version(v), scope) for n, v in _table(table.get(key)).items()
            ]
    edition = _version(_table(data.get("package")).get("rust-version"))
    if edition:
        into.dependencies.append(Dependency("Rust", edition, "language"))
    binaries = [_table(item).get("path") for item in _list(data.get("bin"))]
    into.entry_points += [path for path in binaries if isinstance(path, str)]


def _go_mod(text: str, into: Manifest) -> None:
    if module := re.search(r"^module\s+(\S+)", text, re.MULTILINE):
        into.name = module[1].strip('"')
    if version := re.search(r"^go\s+(\S+)", text, re.MULTILINE):
        into.dependencies.append(Dependency("Go", version[1], "language"))
    for match in _GO_REQUIRE.finditer(text):
        if "// indirect" not in match[3]:
            into.dependencies.append(Dependency(match[1], match[2]))


def _xml(text: str) -> ElementTree.Element:
    """The document's tree; a document type is refused, and with it every entity that could expand or read a file."""
    from xml.etree import ElementTree
    from xml.parsers import expat

    builder, depth = ElementTree.TreeBuilder(), 0
    parser = expat.ParserCreate(namespace_separator="}")
    parser.buffer_text = True

    def start(tag: str, attributes: dict[str, str]) -> None:
        nonlocal depth
        depth += 1
        if depth > _MAX_DEPTH:
            raise _Unreadable("nested too deep")
        builder.start(tag.rpartition("}")[2], attributes)

    def end(tag: str) -> None:
        nonlocal depth
        depth -= 1
        builder.end(tag.rpartition("}")[2])

    def refuse(*_: object) -> None:
        raise _Unreadable("has a document type, which is not read")

    parser.StartElementHandler = start
    parser.EndElementHandler = end
    parser.CharacterDataHandler = builder.data
    parser.StartDoctypeDeclHandler = refuse
    parser.EntityDeclHandler = refuse
    try:
        parser.Parse(re.sub(r"^\s*<\?xml.*?\?>", "", text, flags=re.DOTALL), True)
    except expat.ExpatError as error:
        raise _Unreadable(str(error)) from error
    return builder.close()


def _pom(text: str, into: Manifest) -> None:
    root = _xml(text)

    def value(element: ElementTree.Element, name: str) -> str:
        return (element.findtext(name) or "").strip()

    into.name = value(root, "artifactId")
    properties = {p.tag: (p.text or "").strip() for p in root.findall("properties/*")}
    for element in [*root.findall("parent"), *root.findall(".//dependency")]:
        version = value(element, "version")
        version = properties.get(version[2:-1], version) if version.startswith("${") else version
        scope = "development" if value(element, "scope") == "test" else "runtime"
        into.dependencies.append(
            Dependency(f"{value(element, 'groupId')}:{value(element, 'artifactId')}", version, scope)
        )
    java = (
        properties.get("maven.compiler.release")
        or properties.get("maven.compiler.source")
        or properties.get("java.version")
    )
    if java:
        into.dependencies.append(Dependency("Java", java, "language"))


def _gradle(text: str, into: Manifest) -> None:
    for match in _GRADLE.finditer(text):
        scope = "development" if match[0].lstrip().lower().startswith(("test", "androidtest")) else "runtime"
        into.dependencies.append(Dependency(f"{match[1]}:{match[2]}", match[3] or "", scope))


def _gemfile(text: str, into: Manifest) -> None:
    into.dependencies += [Dependency(m[1], m[2] or "") for m in _GEM.finditer(text)]


def _composer(text: str, into: Manifest) -> None:
    data = _table(json.loads(text))
    into.name = str(data.get("name", ""))
    for key, scope in (("require", "runtime"), ("require-dev", "development")):
        for name, version in _table(data.get(key)).items():
            into.dependencies.append(
                Dependency(name, _version(version), "language" if name == "php" else scope)
            )


def _images(pattern: re.Pattern[str]) -> Callable[[str, Manifest], None]:
    def read(text: str, into: Manifest) -> None:
        stages = {
            m[1].lower()
            for m in re.finditer(r"^\s*FROM\s+.+?\s+AS\s+(\S+)", text, re.MULTILINE | re.IGNORECASE)
        }
        for match in pattern.finditer(text):
            image = match[1]
            if image.lower() in stages or image == "scratch" or "$" in image:
                continue
            name, colon, tag = image.partition("@")[0].rpartition(":")
            tagged = bool(colon) and "/" not in tag  # the colon of a port belongs to the name
            into.dependencies.append(Dependency(name if tagged else image, tag if tagged else "", "image"))

    return read


def read_manifest(path: str, text: str) -> Manifest:
    """What `text` declares. A manifest that is not of its format has a `fault` and no dependencies; it never raises."""
    name = path.rpartition("/")[2]
    kind, reader = next((kind, reader) for pattern, kind, reader in _READERS if re.fullmatch(pattern, name))
    found = Manifest(path, kind)
    try:
        reader(text.removeprefix("\ufeff"), found)
    except (ValueError, SyntaxError, RecursionError, MemoryError) as error:
        reason = str(error).splitlines()[0][:200] if str(error) else type(error).__name__
        return Manifest(path, kind, fault=reason)
    found.dependencies = list(dict.fromkeys(found.dependencies))
    return found


_READERS: tuple[tuple[str, str, Callable[[str, Manifest], None]], ...] = (
    (r"package\.json", "npm", _package_json),
    (r"pyproject\.toml", "Python project", _pyproject),
    (r"requirements.*\.txt", "Python requirements", _requirements),
    (r"setup\.cfg", "Python setup", _setup_cfg),
    (r"setup\.py", "Python setup", _setup_py),
    (r"Cargo\.toml", "Cargo", _cargo),
    (r"go\.mod", "Go module", _go_mod),
    (r"pom\.xml", "Maven", _pom),
    (r"build\.gradle(\.kts)?", "Gradle", _gradle),
    (r"Gemfile", "Bundler", _gemfile),
    (r"composer\.json", "Composer", _composer),
    (r".*(Dockerfile|Containerfile).*", "container image", _images(_FROM)),
    (r".*compose.*\.ya?ml", "container services", _images(_IMAGE)),
)
