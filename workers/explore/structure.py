"""What the structure of a project shows from one perspective: its parts, their imports, sizes, tests, words and tools."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence

from orchestrator.domain.patterns import expression
from orchestrator.domain.text import keywords
from workers.explore.imports import Resolver, imported_by
from workers.explore.knowledge import extension
from workers.explore.manifests import read_manifest
from workers.explore.root import shown
from workers.explore.seen import MOST_EVIDENCE, Evidence, Observation, Seen, defined, words_of
from workers.explore.symbols import parse

LONG_FILE, LONG_FUNCTION = 500, 80  # lines
HUBS = 5
COMMITS = 500  # that tell what changes often
_HEADING = expression(r"^#{1,4}\s+(\S.*)$")


def _architecture(seen: Seen) -> list[Observation | None]:
    _find_imports(seen)
    return [_packages(seen), _hubs(seen), _circles(seen), _changed(seen)]


def _find_imports(seen: Seen) -> None:
    sources = seen.sources()
    named: dict[str, list[str]] = {}
    for path in sources:
        parsed = parse("\n".join(seen.texts[path]), extension(path), late=lambda: False)
        if parsed is not None:
            named[path] = parsed.imports
    modules = {}
    for path in (path for path in seen.texts if path.endswith("go.mod")):
        manifest = read_manifest(path, "\n".join(seen.texts[path]))
        if manifest.name:
            modules[manifest.name] = path.rpartition("/")[0]
    seen.imports = imported_by(named, Resolver(seen.roles, modules))


def _packages(seen: Seen) -> Observation | None:
    """The folders that hold most source."""
    size: Counter[str] = Counter()
    largest: dict[str, str] = {}
    for path in seen.sources():
        folder = path.rpartition("/")[0] or "."
        size[folder] += len(seen.texts[path])
        if len(seen.texts[path]) > len(seen.texts.get(largest.get(folder, ""), ())):
            largest[folder] = path
    if len(size) < 2:
        return None
    top = size.most_common(5)
    named = seen.listed(seen.say("lines_of", name=shown(folder), count=lines) for folder, lines in top)
    evidence = tuple(_top_of(seen, largest[folder]) for folder, _ in top if folder in largest)
    total = sum(size.values())
    text = seen.say("packages", total=total, count=len(size), named=named)
    return Observation("packages", text, evidence, len(size))


def _top_of(seen: Seen, path: str) -> Evidence:
    """The first line of a file that defines or says something."""
    lines = seen.texts[path]
    numbers = [n for n, line in enumerate(lines, 1) if line.strip()]
    defining = next((n for n in numbers if defined(lines[n - 1])), None)
    return seen.at(path, defining or (numbers[0] if numbers else 1))


def _hubs(seen: Seen) -> Observation | None:
    users = {path: len(by) for path, by in seen.imports.items() if seen.texts.get(path)}
    top = sorted((path for path in users if users[path] > 2), key=lambda path: (-users[path], path))[:HUBS]
    if not top:
        return None
    named = seen.listed(seen.say("imported_by", name=shown(path), count=users[path]) for path in top)
    evidence = tuple(_top_of(seen, path) for path in top)
    text = seen.say("hubs", named=named)
    return Observation("hubs", text, evidence, len(top), "medium", seen.say("hubs_do"), near=seen.near(top))


def _changed(seen: Seen) -> Observation | None:
    """The source files that most commits changed lately."""
    sources = set(seen.sources())
    found = [path for path in seen.changed if path in sources and seen.changed[path] > 1 and seen.texts[path]]
    top = sorted(found, key=lambda path: (-seen.changed[path], path))[:HUBS]
    if not top:
        return None
    named = seen.listed(seen.say("commits_of", name=shown(path), count=seen.changed[path]) for path in top)
    evidence = tuple(_top_of(seen, path) for path in top)
    text = seen.say("changed", commits=COMMITS, named=named)
    return Observation(
        "changed", text, evidence, len(top), "medium", seen.say("changed_do"), near=seen.near(top)
    )


def _circles(seen: Seen) -> Observation | None:
    """Pairs of folders whose files import each other."""
    edges: dict[tuple[str, str], tuple[str, str]] = {}
    for target, users in seen.imports.items():
        for user in users:
            a, b = user.rpartition("/")[0], target.rpartition("/")[0]
            if a != b and not a.startswith(f"{b}/") and not b.startswith(f"{a}/"):
                edges.setdefault((a, b), (user, target))
    pairs = sorted((a, b) for a, b in edges if a < b and (b, a) in edges)
    if not pairs:
        return None
    evidence = []
    for a, b in pairs[: MOST_EVIDENCE // 2]:
        for user, target in (edges[a, b], edges[b, a]):
            stem = target.rpartition("/")[2].partition(".")[0]
            number = next(
                (n for n, line in enumerate(seen.texts[user], 1) if "import" in line and stem in line), 1
            )
            evidence.append(seen.at(user, number))
    named = seen.listed(seen.say("pair", a=shown(a or "."), b=shown(b or ".")) for a, b in pairs[:3])
    text = seen.say("circles", count=len(pairs), named=named)
    return Observation("circles", text, tuple(evidence), len(pairs), "medium", seen.say("circles_do"))


def _long_files(seen: Seen) -> Observation | None:
    long = [path for path in seen.sources() if len(seen.texts[path]) > LONG_FILE]
    long.sort(key=lambda path: -len(seen.texts[path]))
    if not long:
        return None
    named = seen.listed(
        seen.say("lines_of", name=shown(path), count=len(seen.texts[path])) for path in long[:3]
    )
    text = seen.say("long_files", limit=LONG_FILE, count=len(long), named=named)
    evidence = tuple(_top_of(seen, path) for path in long[:MOST_EVIDENCE])
    do = seen.say("long_files_do")
    return Observation("long-files", text, evidence, len(long), "medium", do, near=seen.near(long))


def _implementation(seen: Seen) -> list[Observation | None]:
    return [_long_functions(seen), _untested(seen), _long_files(seen)]


def _long_functions(seen: Seen) -> Observation | None:
    """Functions of Python, whose end the indentation tells."""
    found: list[tuple[int, str, int]] = []
    for path in seen.sources():
        if extension(path) == "py":
            found += [(length, path, number) for number, length in _functions(seen.texts[path])]
    long = sorted((each for each in found if each[0] > LONG_FUNCTION), reverse=True)
    if not long:
        return None
    text = seen.say("long_functions", limit=LONG_FUNCTION, count=len(long), longest=long[0][0])
    evidence = tuple(seen.at(path, number) for _, path, number in long[:MOST_EVIDENCE])
    do, near = seen.say("long_functions_do"), seen.near(path for _, path, _ in long)
    return Observation("long-functions", text, evidence, len(long), "medium", do, near=near)


def _functions(lines: Sequence[str]) -> list[tuple[int, int]]:
    """(number of its first line, lines it has) of each function."""
    found = []
    for number, line in enumerate(lines, 1):
        match = re.match(r"(\s*)(?:async\s+)?def\s", line)
        if match:
            margin, end = len(match[1]), number
            for later, text in enumerate(lines[number:], number + 1):
                if (
                    text.strip()
                    and len(text) - len(text.lstrip()) <= margin
                    and not text.lstrip().startswith(")")
                ):
                    break
                if text.strip():
                    end = later
            found.append((number, end - number + 1))
    return found


def _untested(seen: Seen) -> Observation | None:
    """Source files that no test file names."""
    tests = seen.sources(tests=True)
    if not tests:
        sources = seen.ordered(seen.sources())[:MOST_EVIDENCE]
        evidence = tuple(_top_of(seen, path) for path in sources if seen.texts[path])
        text, do = seen.say("no_tests"), seen.say("no_tests_do")
        return Observation("no-tests", text, evidence, 1, "high", do) if evidence else None
    said = "\n".join("\n".join(seen.texts[path]) for path in tests)
    names = set(re.findall(r"\w+", said))
    bare = [
        path
        for path in seen.ordered(seen.sources())
        if len(seen.texts[path]) > 20
        and path.rpartition("/")[2].partition(".")[0] not in names
        and not any(name in names for name in _defined(seen.texts[path]))
    ]
    if not bare:
        return None
    named = seen.listed(shown(path) for path in bare[:3])
    text = seen.say("untested", count=len(bare), named=named)
    evidence = tuple(_top_of(seen, path) for path in bare[:MOST_EVIDENCE])
    do = seen.say("untested_do")
    return Observation("untested", text, evidence, len(bare), "medium", do, near=seen.near(bare))


def _defined(lines: Sequence[str]) -> list[str]:
    return [name for line in lines if (name := defined(line)) and len(name) > 3]


def _concept(seen: Seen) -> list[Observation | None]:
    return [_says(seen), _vocabulary(seen)]


def _documents(seen: Seen) -> list[str]:
    found = [path for path in seen.texts if seen.roles[path] == "documentation"]
    return sorted(found, key=lambda path: (path.count("/"), "readme" not in path.lower(), path))


def _says(seen: Seen) -> Observation | None:
    """What the documents treat, by the headings that share the question's words, else by the first ones."""
    fitting: list[tuple[int, str, int]] = []
    for order, path in enumerate(_documents(seen)[:60]):
        for number, line in enumerate(seen.texts[path], 1):
            if _HEADING.match(line):
                fitting.append((-len(keywords(line) & seen.asked.words) * 1_000 + order, path, number))
    if not fitting:
        return None
    fitting.sort()
    evidence = tuple(seen.at(path, number) for _, path, number in fitting[:MOST_EVIDENCE])
    named = seen.listed(shown(each.quote.lstrip("# ")) for each in evidence[:3])
    text = seen.say("documents", named=named)
    return Observation("documents", text, evidence, len(fitting))


def _vocabulary(seen: Seen) -> Observation | None:
    """The words that most names of the code share."""
    used: Counter[str] = Counter()
    first: dict[str, tuple[str, int]] = {}
    for path in seen.ordered(seen.sources()):
        for number, line in enumerate(seen.texts[path], 1):
            if name := defined(line):
                for word in {w.lower() for w in words_of(name).split() if len(w) > 3}:
                    used[word] += 1
                    first.setdefault(word, (path, number))
    top = [(word, count) for word, count in used.most_common(8) if count > 2]
    if not top:
        return None
    named = seen.listed(seen.say("word_of", name=word, count=count) for word, count in top)
    evidence = tuple(seen.at(*first[word]) for word, _ in top[:MOST_EVIDENCE])
    return Observation("vocabulary", seen.say("vocabulary", named=named), evidence, len(used))


def _comparison(seen: Seen) -> list[Observation | None]:
    """What the project uses for which purpose; more than one thing for the same is worth a look."""
    by_layer: dict[str, dict[str, Evidence]] = defaultdict(dict)
    for path in (path for path in seen.texts if seen.roles[path] == "manifest"):
        manifest = read_manifest(path, "\n".join(seen.texts[path]))
        for name in (each.name for each in manifest.dependencies):
            layer = seen.known.layer(name)
            pattern = re.compile(rf"(?<![\w-]){re.escape(name)}(?![\w-])")
            number = next((n for n, line in enumerate(seen.texts[path], 1) if pattern.search(line)), None)
            if layer and number:
                by_layer[layer].setdefault(name, seen.at(path, number))
    found: list[Observation | None] = []
    for layer, names in sorted(by_layer.items()):
        several = len(names) > 1
        text = seen.say("uses", layer=layer, named=seen.listed(shown(name) for name in sorted(names)))
        do = seen.say("uses_do") if several else ""
        evidence = tuple(names.values())[:MOST_EVIDENCE]
        rule = f"uses {layer}"
        found.append(Observation(rule, text, evidence, len(names), "medium" if several else "low", do))
    return found


def _decision(seen: Seen) -> list[Observation | None]:
    """Decisions that the project has written down."""
    kept_in = re.compile(r"(^|/)(adr|adrs|decisions?|rfcs?)(/|\.md$)", re.I)
    records = [path for path in _documents(seen) if kept_in.search(path) and seen.texts[path]]
    fitting = sorted(
        records, key=lambda path: -len(keywords("\n".join(seen.texts[path][:40])) & seen.asked.words)
    )
    if not fitting:
        return []
    evidence = tuple(_top_of(seen, path) for path in fitting[:MOST_EVIDENCE])
    named = seen.listed(shown(each.path) for each in evidence[:3])
    text = seen.say("records", count=len(records), named=named)
    return [Observation("records", text, evidence, len(records))]


def structure_of(perspective: str, seen: Seen) -> list[Observation | None]:
    """What the structure shows from a perspective; nothing from one that only lines tell of."""
    looks = STRUCTURE.get(perspective)
    return looks(seen) if looks else []


STRUCTURE: Mapping[str, Callable[[Seen], list[Observation | None]]] = {
    "architecture": _architecture,
    "implementation": _implementation,
    "concept": _concept,
    "comparison": _comparison,
    "decision": _decision,
}
