"""The project as a whole, counted and quoted: languages, stack, entry points, folders, outside addresses."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence

from orchestrator.domain.json_types import JsonObject
from orchestrator.domain.patterns import expression
from workers.explore.inventory import Inventory
from workers.explore.knowledge import Knowledge
from workers.explore.manifests import Dependency, Manifest
from workers.explore.root import shown

_MAX_FOLDERS, _MAX_STACK, _MAX_ENTRIES, _MAX_DEPENDENCIES, _MAX_REFERENCES = 20, 40, 20, 200, 20
_URL = expression(r"https?://[^\s<>\"'`)\]}|\\]{4,200}")
_EXAMPLE_HOSTS = expression(
    r"//(localhost|127\.|0\.0\.0\.0|\[::|(?:[\w-]+\.)*example\.(?:com|org|net)|www\.w3\.org)"
)


def codebase(
    inventory: Inventory,
    roles: Mapping[str, str],
    manifests: Sequence[Manifest],
    known: Knowledge,
    notes: Sequence[str],
) -> JsonObject | None:
    """The summary for discovery documents, or None for a folder without source and manifest."""
    languages = Counter(filter(None, (known.language(file.path) for file in inventory.files)))
    if not languages and not manifests:
        return None
    stack = _stack(languages, manifests, known)
    folders = Counter(f.path.partition("/")[0] for f in inventory.files if "/" in f.path)
    entry_points = [shown(p) for p, role in roles.items() if role == "entry point"]
    declared = [f"{entry} ({shown(m.path)})" for m in manifests for entry in m.entry_points]
    return {
        "languages": dict(languages.most_common()),
        "manifests": [
            {"path": shown(m.path), "kind": m.kind, "name": m.name}
            | {"dependencies": len(m.dependencies)}
            | ({"fault": m.fault} if m.fault else {})
            for m in manifests
        ],
        "stack": stack,
        "entry_points": [*sorted(entry_points, key=lambda p: (p.count("/"), p)), *declared][:_MAX_ENTRIES],
        "test_frameworks": [item["name"] for item in stack if item["layer"] == "test framework"],
        "frontend_frameworks": sorted({name for m in manifests for name in m.frontend}),
        "top_directories": [_folder(name, n, roles) for name, n in folders.most_common(_MAX_FOLDERS)],
        "file_count": len(inventory.files),
        "truncated": inventory.truncated,
        "notes": list(notes),
    }


def _folder(name: str, files: int, roles: Mapping[str, str]) -> JsonObject:
    """`purpose` is the role most of the folder's files have; left out where no role has the majority."""
    inside = Counter(role for path, role in roles.items() if path.startswith(name + "/"))
    role, count = inside.most_common(1)[0] if inside else ("other", 0)
    found: JsonObject = {"path": shown(name), "files": files}
    return found | ({"purpose": role} if role != "other" and count * 2 > files else {})


def package_name(dependency: Dependency) -> str:
    """The name to look a package up by: without Maven's group, Go's host and owner, and an image's registry."""
    name = dependency.name.rpartition(":")[2]
    if name.startswith("@") or "." not in name.partition("/")[0]:
        return name.lower() if dependency.scope != "image" else name.rpartition("/")[2].lower()
    return re.sub(r"/v\d+$", "", name).rpartition("/")[2].lower()


def _stack(languages: Counter[str], manifests: Sequence[Manifest], known: Knowledge) -> list[JsonObject]:
    found: dict[tuple[str, str], JsonObject] = {}
    for manifest in manifests:
        for dependency in manifest.dependencies:
            layer = {"language": "language", "image": "container image"}.get(dependency.scope)
            layer = layer or known.layer(package_name(dependency))
            if layer:
                item = {"layer": layer, "name": dependency.name, "where": shown(manifest.path)}
                if dependency.version:
                    item["version"] = dependency.version
                found.setdefault((layer, dependency.name.lower()), item)
    for language, files in languages.most_common():
        item = {"layer": "language", "name": language, "where": f"{files} files"}
        found.setdefault(("language", language.lower()), item)
    return sorted(found.values(), key=lambda item: (item["layer"] != "language", item["layer"]))[:_MAX_STACK]


def dependencies(manifests: Sequence[Manifest], words: Iterable[str]) -> list[JsonObject]:
    """What the manifests declare, those named by the question first."""
    wanted = set(words)
    rows = [
        {"name": d.name, "version": d.version, "scope": d.scope, "where": shown(m.path)}
        for m in manifests
        for d in m.dependencies
        if d.scope != "language"
    ]
    rows.sort(
        key=lambda row: (
            not wanted & set(re.split(r"[\W_]+", row["name"].lower())),
            row["scope"] != "runtime",
        )
    )
    return rows[:_MAX_DEPENDENCIES]


def external_references(texts: Mapping[str, str]) -> list[dict[str, str]]:
    """Addresses outside that `texts` name, without any credential in them."""
    found: dict[str, str] = {}
    for path, text in texts.items():
        for match in _URL.finditer(text):
            if "@" in match[0] or _EXAMPLE_HOSTS.search(match[0]) or "{" in match[0] or "$" in match[0]:
                continue  # a user part may hold a password, a placeholder is no address
            found.setdefault(match[0].partition("?")[0].rstrip(".,;:*_"), path)
            if len(found) >= _MAX_REFERENCES:
                break
    return [{"url": url, "where": shown(path)} for url, path in list(found.items())[:_MAX_REFERENCES]]


def patterns(
    importers: Mapping[str, set[str]], roles: Mapping[str, str], occurrences: Mapping[str, Sequence[str]]
) -> list[JsonObject]:
    """Regularities that can be counted: what much of the project imports, how tests are named, where words gather."""
    found: list[JsonObject] = []
    central = sorted(importers.items(), key=lambda item: (-len(item[1]), item[0]))
    for path, users in central[:5]:
        if len(users) >= 3:
            found.append(
                _pattern(
                    "shared module",
                    f"{shown(path)} is imported by {len(users)} of the parsed files",
                    sorted(users),
                )
            )
    tests = [path for path, role in roles.items() if role == "test"]
    if tests:
        folder, count = Counter(path.rpartition("/")[0] or "." for path in tests).most_common(1)[0]
        text = f"{len(tests)} test files, {count} of them in {shown(folder)}"
        found.append(
            _pattern("tests", text, [path for path in tests if (path.rpartition("/")[0] or ".") == folder])
        )
    for word, paths in sorted(occurrences.items(), key=lambda item: (-len(item[1]), item[0]))[:10]:
        if len(paths) >= 2:
            places: dict[str, int] = defaultdict(int)
            for path in paths:
                places[path.rpartition("/")[0] or "."] += 1
            place, n = max(places.items(), key=lambda item: (item[1], item[0]))
            text = f"'{word}' occurs in {len(paths)} files, most often in {shown(place)} ({n})"
            inside = [p for p in paths if (p.rpartition("/")[0] or ".") == place]
            found.append(_pattern(f"use of '{word}'", text, inside))
    return found


def _pattern(name: str, description: str, evidence: Sequence[str]) -> JsonObject:
    return {"name": name, "description": description, "evidence": [shown(path) for path in evidence[:5]]}
