"""Explore a repository under one angle: inventory, manifests, full-text ranking, parsing; every fact is read there."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path

from orchestrator.domain.dataclass import dataclass, field
from orchestrator.domain.errors import LifecycleError
from orchestrator.domain.json_types import JsonObject
from workers.explore import manifests as manifest_files
from workers.explore import summary
from workers.explore.cache import ExplorationCache, entry_name
from workers.explore.imports import Resolver, imported_by
from workers.explore.inventory import Inventory, take_inventory
from workers.explore.kinds import role_of
from workers.explore.knowledge import Angle, Knowledge, extension, knowledge
from workers.explore.manifests import Manifest, read_manifest
from workers.explore.ranking import SearchIndex, query_words
from workers.explore.root import Root, shown
from workers.explore.symbols import PARSED, Symbols, parse

BUDGET_SECONDS = 60.0  # when the caller names no deadline
MAX_RELEVANT = 20
MAX_DOCUMENTS = 5  # of them, where other files match as well
MAX_MANIFESTS = 60
MAX_PARSED = 150
MAX_PARSED_BYTES = 256 * 1024
MAX_FILE_BYTES = 2 * 1024 * 1024  # larger files are data: counted, not read
MAX_INDEXED_BYTES = 48 * 1024  # of one file
MAX_TOTAL_BYTES = 24 * 1024 * 1024
_INDEX_SHARE = 0.6  # of the time left may go into reading and indexing; ranking and parsing need the rest
_ANGLE_WEIGHT, _CENTRAL_WEIGHT = 0.5, 0.3
_READ_ORDER = (
    "manifest",
    "entry point",
    "documentation",
    "source",
    "schema",
    "test",
    "ci",
    "configuration",
    "style",
    "other",
)
_EXPENDABLE = {
    "other": -0.5,
    "style": -0.3,
    "configuration": -0.2,
    "test": -0.1,
}  # at equal words, source comes first


class ExplorationStopped(LifecycleError):
    """The exploration was stopped before it was done."""

    remedy = "nothing has to be done: the next attempt explores again"


@dataclass(slots=True)
class _Clock:
    """When to stop: `late` for the time, ExplorationStopped for a run that is over."""

    deadline: float
    stop: threading.Event | None

    def late(self) -> bool:
        return time.monotonic() >= self.deadline or (self.stop is not None and self.stop.is_set())

    def check(self) -> bool:
        if self.stop is not None and self.stop.is_set():
            raise ExplorationStopped
        return time.monotonic() >= self.deadline

    def until(self, share: float) -> _Clock:
        now = time.monotonic()
        return _Clock(now + max(0.0, self.deadline - now) * share, self.stop)


@dataclass(slots=True)
class _Project:
    """What is known of one tree while it is explored."""

    root: Root
    known: Knowledge
    clock: _Clock
    inventory: Inventory
    roles: dict[str, str]
    notes: list[str]
    manifests: list[Manifest] = field(default_factory=list)
    texts: dict[str, str] = field(default_factory=dict)
    symbols: dict[str, Symbols] = field(default_factory=dict)
    cut: bool = False  # by time: what is found is true but not all, and must not be kept


def explore(
    root: Path,
    query: str,
    angle: str,
    keywords: Sequence[str] = (),
    *,
    cache_dir: Path,
    force_refresh: bool = False,
    deadline: float | None = None,
    stop: threading.Event | None = None,
) -> JsonObject:
    """The exploration record (docs/domain.md, section 9) with a `codebase` summary, None for an empty project.

    `deadline` is monotonic seconds: when it comes, what was found so far is returned, marked truncated and not kept.
    Raises UnknownName for an angle and ExplorationStopped when `stop` is set.
    """
    known = knowledge()
    chosen = known.angle(angle)
    started = time.monotonic()
    clock = _Clock(started + BUDGET_SECONDS if deadline is None else deadline, stop)
    words = query_words([*keywords, query])
    with Root(root) as opened, ExitStack() as held:
        inventory = take_inventory(
            opened, skip_names=known.skip_folders, skip_path=cache_dir, late=clock.late
        )
        clock.check()
        tree = inventory.digest()
        problem = ""
        cache = name = None
        try:
            cache, name = ExplorationCache(cache_dir), entry_name(root, angle, words)
            if not force_refresh and (record := cache.get(name, tree)):
                return _from_cache(record)
            owner = held.enter_context(cache.exclusive(name, late=clock.late, stop=stop))
            clock.check()
            # Whoever held the lock may have made just this exploration.
            if owner and not force_refresh and (record := cache.get(name, tree)):
                return _from_cache(record)
        except OSError as error:
            cache, problem = None, f"not kept for later: {error.strerror or error}"
        project = _Project(opened, known, clock, inventory, _roles(inventory, known), list(inventory.notes))
        if problem:
            project.notes.append(problem)
        record = _explore(project, query, angle, chosen, words, started)
        record["_metadata"]["tree"] = tree
        if cache and name and not project.cut and not inventory.out_of_time:
            try:
                cache.put(name, tree, record)
            except OSError as error:
                record["_metadata"]["notes"].append(f"not kept for later: {error.strerror or error}")
        return record


def _from_cache(record: JsonObject) -> JsonObject:
    record["_metadata"]["cached"] = True
    return record


def _roles(inventory: Inventory, known: Knowledge) -> dict[str, str]:
    return {file.path: role_of(file.path, known) for file in inventory.files}


def _explore(
    project: _Project, query: str, angle_name: str, angle: Angle, words: list[str], started: float
) -> JsonObject:
    _read_manifests(project)
    angle_words = [word for word in query_words(angle.words) if word not in words]
    with SearchIndex(project.clock.late) as index:
        _read_texts(project, index)
        asked, angled = index.search(words), index.search(angle_words)
        score = {path: _score(path, project, angle, asked, angled) for path in project.texts}
        importers = _parse_best(project, score)
        top = max((len(users) for users in importers.values()), default=0)
        for path, users in importers.items():
            if path in score:
                score[path] += _CENTRAL_WEIGHT * len(users) / top
        ranked = sorted((path for path in score if score[path] > 0), key=lambda path: (-score[path], path))
        best = _shared_out(ranked, project.roles)
        held = index.which([*words, *angle_words], set(best))
        occurrences = {word: index.files_with(word) for word in [*words[:15], *angle_words]}
    project.clock.check()
    truncated = project.cut or project.inventory.truncated
    project.inventory.truncated = truncated
    relevant = [_relevant(path, project, set(words), held[path], importers.get(path, set())) for path in best]
    reference_texts = {
        p: project.texts[p]
        for p in [*best, *(p for p, r in project.roles.items() if r == "documentation")]
        if p in project.texts
    }
    return {
        "query": query.encode("utf-8", "replace").decode(),  # lone surrogates cannot be stored
        "relevant_files": relevant,
        "patterns": summary.patterns(importers, project.roles, occurrences),
        "dependencies": summary.dependencies(project.manifests, words),
        "external_refs": summary.external_references(reference_texts),
        "codebase": summary.codebase(
            project.inventory, project.roles, project.manifests, project.known, project.notes
        ),
        "_metadata": {
            "angle": angle_name,
            "keywords": words,
            "explored_at": datetime.now(UTC).isoformat(timespec="seconds"),
            "seconds": round(time.monotonic() - started, 3),
            "made_by": "builtin",
            "files": len(project.inventory.files),
            "files_read": len(project.texts),
            "files_parsed": len(project.symbols),
            "truncated": truncated,
            "cached": False,
            "notes": project.notes,
        },
    }


def _shared_out(ranked: list[str], roles: dict[str, str]) -> list[str]:
    """The best files; documents, which hold most words, get no more than their share while there is anything else."""
    room = MAX_RELEVANT - min(MAX_RELEVANT, sum(roles[path] != "documentation" for path in ranked))
    room = max(room, MAX_DOCUMENTS)
    documents = [path for path in ranked if roles[path] == "documentation"][:room]
    kept = {*documents, *(path for path in ranked if roles[path] != "documentation")}
    return [path for path in ranked if path in kept][:MAX_RELEVANT]


def _read_manifests(project: _Project) -> None:
    paths = sorted(
        (p for p, role in project.roles.items() if role == "manifest"), key=lambda p: (p.count("/"), p)
    )
    for path in paths[:MAX_MANIFESTS]:
        if project.clock.check():
            return _cut(project, "reading manifests")
        text = project.root.text(path, manifest_files.MAX_BYTES)
        if text is not None:
            project.manifests.append(read_manifest(path, text))
    project.notes += [
        f"{shown(m.path)} could not be read as {m.kind}: {m.fault}" for m in project.manifests if m.fault
    ]
    if len(paths) > MAX_MANIFESTS:
        project.notes.append(
            f"{len(paths) - MAX_MANIFESTS} manifest(s) beyond the first {MAX_MANIFESTS} not read"
        )
    return None


def _read_texts(project: _Project, index: SearchIndex) -> None:
    known, left, large = project.known, MAX_TOTAL_BYTES, 0
    order = {role: i for i, role in enumerate(_READ_ORDER)}
    readable = [
        file
        for file in project.inventory.files
        if (
            known.language(file.path)
            or extension(file.path) in known.text_extensions
            or project.roles[file.path] != "other"
        )
        and not known.secret(file.path)
    ]
    readable.sort(key=lambda file: (order[project.roles[file.path]], file.path.count("/"), file.path))
    clock = project.clock.until(_INDEX_SHARE)
    for number, file in enumerate(readable):
        if clock.check():
            return _cut(project, f"reading: {number} of {len(readable)} files read")
        if file.size > MAX_FILE_BYTES:
            large += 1
            continue
        text = project.root.text(file.path, min(MAX_INDEXED_BYTES, left))
        if text is None:
            continue
        project.texts[file.path] = text
        index.add(file.path, text)
        left -= len(text)
        if left <= 0:
            project.notes.append(
                f"{len(readable) - number - 1} file(s) not read: the limit of text is reached"
            )
            project.inventory.truncated = True
            break
    if large:
        project.notes.append(f"{large} file(s) larger than {MAX_FILE_BYTES // 1024} KiB not read")
    return None


def _score(
    path: str, project: _Project, angle: Angle, asked: dict[str, float], angled: dict[str, float]
) -> float:
    """Words first; a role only tips the scale, except where nothing in the project matches the words."""
    role = project.roles[path]
    score = 0.0
    if path in asked:
        score += asked[path]
    if path in angled:
        score += _ANGLE_WEIGHT * angled[path]
    by_role = angle.roles.get(role, 0.0)
    if score:
        return max(0.01, score + 0.3 * by_role + _EXPENDABLE.get(role, 0.0) * (1 - by_role))
    return 0.2 * by_role if asked else by_role


def _parse_best(project: _Project, score: dict[str, float]) -> dict[str, set[str]]:
    candidates = [path for path in sorted(score, key=lambda p: (-score[p], p)) if extension(path) in PARSED]
    for path in candidates[:MAX_PARSED]:
        if project.clock.check():
            _cut(project, "parsing")
            break
        text: str | None = project.texts[path]
        if len(project.texts[path]) >= MAX_INDEXED_BYTES // 2:
            text = project.root.text(path, MAX_PARSED_BYTES)
        if text and (found := parse(text, extension(path), late=project.clock.late)):
            project.symbols[path] = found
    project.clock.check()
    if len(candidates) > MAX_PARSED:
        project.notes.append(f"{MAX_PARSED} of {len(candidates)} source files parsed, the best matching ones")
    modules = {
        m.name: m.path.rpartition("/")[0] for m in project.manifests if m.kind == "Go module" and m.name
    }
    resolver = Resolver((file.path for file in project.inventory.files), modules)
    return imported_by({path: symbols.imports for path, symbols in project.symbols.items()}, resolver)


def _relevant(path: str, project: _Project, asked: set[str], held: list[str], users: set[str]) -> JsonObject:
    symbols = project.symbols.get(path)
    names = _key_symbols(symbols, {*asked, *held}) if symbols else []
    from_query = [word for word in held if word in asked]
    from_angle = [word for word in held if word not in asked]
    reasons = []
    if from_query:
        reasons.append("contains " + ", ".join(f"'{word}'" for word in from_query[:6]))
    if from_angle:
        reasons.append("words of the angle: " + ", ".join(from_angle[:6]))
    if names:
        reasons.append("defines " + ", ".join(names[:3]))
    if users:
        reasons.append(f"imported by {len(users)} of the parsed files")
    role = project.roles[path]
    if not held:
        reasons.insert(0, f"no word of the question, but a file of the role '{role}'")
    source = "full-text" if held else "imports" if users else "role"
    return {
        "path": shown(path),
        "rationale": "; ".join(reasons),
        "role": role,
        "discovery_source": source,
        "key_symbols": names,
    }


def _key_symbols(symbols: Symbols, words: set[str], limit: int = 8) -> list[str]:
    """Those whose names hold a word of the question first, then in order of weight; private ones last."""
    ranked = sorted(
        dict.fromkeys(name for name, _ in symbols.names),
        key=lambda name: (words.isdisjoint(query_words([name])), name.startswith("_")),
    )
    return ranked[:limit]


def _cut(project: _Project, where: str) -> None:
    project.cut = True
    project.notes.append(f"the time was up while {where}")
