"""What rules see in the lines of a project from one perspective: each finding with the lines that show it (docs/analyze.md).

A finding is a fact about files, not an opinion of an agent: `path`, `line` and `quote` are read here, from the tree itself.
"""

from __future__ import annotations

import re
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from orchestrator.domain.json_types import JsonObject
from orchestrator.domain.patterns import expression
from workers.explore.exploration import ExplorationStopped
from workers.explore.inventory import take_inventory
from workers.explore.kinds import role_of
from workers.explore.knowledge import knowledge
from workers.explore.observation_rules import Rule, observation_rules
from workers.explore.passages_found import passages, subject
from workers.explore.root import Root
from workers.explore.seen import MOST_EVIDENCE, Asked, Observation, Seen
from workers.explore.structure import structure_of

MOST_FILES = 8_000
LONGEST_BLOCK = 40  # lines of a block that are read for what takes a finding back
MAX_FILE = 512 * 1024  # bytes
MAX_TOTAL = 40 * 1024 * 1024
_COMMENT = expression(r"^\s*(#|//|/\*|\*|--|;|<!--|\"\"\")")


def observe(
    root: Path,
    perspective: str,
    exploration: JsonObject,
    *,
    asked: Asked,
    changed: Mapping[str, int],
    skip: Path,
    deadline: float,
    stop: threading.Event | None = None,
) -> tuple[list[Observation], list[str]]:
    """What the rules of a perspective find, what concerns the question first; and notes of what was not read.

    `changed`: file -> commits that changed it lately. `deadline`: monotonic seconds.
    Raises ExplorationStopped when `stop` is set.
    """

    def late() -> bool:
        if stop is not None and stop.is_set():
            raise ExplorationStopped
        return time.monotonic() >= deadline

    seen = _read(root, exploration, asked, skip, late)
    seen.changed = changed
    found = [*passages(seen), subject(seen)]
    found += structure_of(perspective, seen)
    for rule in observation_rules().lines.get(perspective, ()):
        if late():
            seen.notes.append("the time was up before every rule was tried")
            break
        found.append(_lines_of(rule, seen))
    return [each for each in found if each is not None], seen.notes


def _read(root: Path, exploration: JsonObject, asked: Asked, skip: Path, late: Callable[[], bool]) -> Seen:
    known = knowledge()
    with Root(root) as opened:
        inventory = take_inventory(opened, skip_names=known.skip_folders, skip_path=skip, late=late)
        roles = {file.path: role_of(file.path, known) for file in inventory.files}
        relevant = [str(each["path"]) for each in exploration.get("relevant_files", ())]
        seen = Seen(known, {}, roles, relevant, asked, list(inventory.notes))
        readable = [
            file
            for file in inventory.files
            if file.size <= MAX_FILE
            and not known.secret(file.path)
            and (known.language(file.path) or roles[file.path] in ("documentation", "manifest"))
        ]
        place = {path: number for number, path in enumerate(relevant)}
        readable.sort(key=lambda file: (place.get(file.path, len(place)), file.path.count("/"), file.path))
        left = MAX_TOTAL
        for number, file in enumerate(readable[:MOST_FILES]):
            if late() or left <= 0:
                seen.notes.append(f"{number} of {len(readable)} files read")
                break
            text = opened.text(file.path, min(MAX_FILE, left))
            if text is not None:
                seen.texts[file.path] = text.splitlines()
                left -= len(text)
        if len(readable) > MOST_FILES:
            seen.notes.append(f"{MOST_FILES} of {len(readable)} files read")
    return seen


def _lines_of(rule: Rule, seen: Seen) -> Observation | None:
    """The lines that a rule's pattern matches."""
    found: list[tuple[str, int]] = []
    for path in seen.ordered(seen.sources(tests=rule.tests)):
        if rule.languages and seen.known.language(path) not in rule.languages:
            continue
        for number, line in enumerate(seen.texts[path], 1):
            if len(line) > 1_000 or not rule.pattern.search(line):
                continue
            if rule.comments != _is_comment(line, rule) or (not rule.strings and _is_quoted(line, rule)):
                continue
            if rule.unless and any(map(rule.unless.search, _block(seen.texts[path], number))):
                continue
            found.append((path, number))
    if not found:
        return None
    first = _spread(found)
    files = len({path for path, _ in found})
    key = "once" if len(found) == 1 else "times_in_one" if files == 1 else "times"
    language = seen.asked.language
    text = seen.say(key, text=rule.text.told(language), count=len(found), files=files)
    evidence = tuple(seen.at(path, number) for path, number in first)
    near = seen.near(path for path, _ in found)
    return Observation(rule.id, text, evidence, len(found), rule.priority, rule.do.told(language), near=near)


def _block(lines: Sequence[str], number: int) -> Iterator[str]:
    """The lines below line `number` that are indented further."""
    depth = _indent(lines[number - 1])
    for line in lines[number : number + LONGEST_BLOCK]:
        if line.strip() and _indent(line) <= depth:
            return
        yield line


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _is_comment(line: str, rule: Rule) -> bool:
    """Whether the rule's words stand in a comment of the line."""
    if _COMMENT.match(line):
        return True
    match = rule.pattern.search(line)
    return (
        rule.comments
        and match is not None
        and bool(re.search(r"(?:^|\s)(?:#|//)\s", line[: match.start() + 2]))
    )


def _is_quoted(line: str, rule: Rule) -> bool:
    """Whether every match stands inside a string: there the words are named, not used."""
    return not rule.comments and all(_inside(line[: match.start()]) for match in rule.pattern.finditer(line))


def _inside(before: str) -> bool:
    """Whether a string that is opened in `before` is not closed there."""
    open_mark = last = ""
    skipped = False
    for mark in before:
        if skipped:
            skipped = False
        elif mark == "\\":
            skipped = True
        elif open_mark:
            open_mark = "" if mark == open_mark else open_mark
        elif mark in "\"'`" and not (mark == "'" and last in "<&"):  # a lifetime of Rust opens none
            open_mark = mark
        last = mark
    return bool(open_mark)


def _spread(found: Sequence[tuple[str, int]]) -> list[tuple[str, int]]:
    """At most so many lines, of as many files as possible."""
    by_file: dict[str, list[tuple[str, int]]] = defaultdict(list)
    for each in found:
        by_file[each[0]].append(each)
    chosen = [lines[0] for lines in by_file.values()][:MOST_EVIDENCE]
    rest = [each for each in found if each not in chosen]
    return sorted(chosen + rest[: MOST_EVIDENCE - len(chosen)], key=found.index)
