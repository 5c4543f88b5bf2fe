"""The rules of one .gitignore file, applied to one directory entry at a time, as Git does.

Git asks of each entry on its way down: which is the last rule that matches *this* entry? An ignored directory is not
entered, so rules never need to match through their parents. Rules without wildcards (almost all of a very long file) are
looked up; the others are patterns of `pathspec`, each tried in turn, so their number is limited.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import regex
from pathspec.patterns.gitignore.base import GitIgnorePatternError
from pathspec.patterns.gitignore.spec import GitIgnoreSpecPattern

from orchestrator.domain.named_tuple import NamedTuple
from orchestrator.domain.patterns import expression

MAX_WILDCARD_RULES = 1_000  # each costs about 0.2 microseconds an entry
MAX_RULES = 200_000
_PLAIN_STARS = 3  # more in one rule may backtrack for minutes on a hostile name: those get a time limit
_RULE_SECONDS = 0.02
_WILDCARD = expression(r"[*?\[\\]")


class _Rule(NamedTuple):
    order: int
    ignores: bool  # False for a rule that begins with !
    only_directories: bool


class _Wildcard(NamedTuple):
    rule: _Rule
    pattern: re.Pattern[str]
    slow: bool


class IgnoreRules:
    """Rules of one file; `left_out` counts those not applied because there are too many or they are not valid."""

    def __init__(self, lines: Sequence[str]) -> None:
        self.left_out = max(0, len(lines) - MAX_RULES)
        self._names: dict[str, list[_Rule]] = {}
        self._paths: dict[str, list[_Rule]] = {}
        self._wildcards: list[_Wildcard] = []
        for order, line in enumerate(lines[:MAX_RULES]):
            self._add(order, line)
        self._wildcards.reverse()

    def _add(self, order: int, line: str) -> None:
        text = line if line.endswith("\\ ") else line.rstrip()
        if not text or text.startswith("#"):
            return
        ignores = not text.startswith("!")
        text = text if ignores else text[1:]
        rule = _Rule(order, ignores, text.endswith("/"))
        text = text.removesuffix("/")
        if not text:
            return
        if not _WILDCARD.search(text):
            table, key = (self._paths, text.removeprefix("/")) if "/" in text else (self._names, text)
            # The last rule decides, except that a rule for directories says nothing about files.
            kept = (
                [] if not rule.only_directories else [r for r in table.get(key, ()) if not r.only_directories]
            )
            table[key] = [rule, *kept]
        elif len(self._wildcards) >= MAX_WILDCARD_RULES or (pattern := _compiled(text)) is None:
            self.left_out += 1
        else:
            self._wildcards.append(_Wildcard(rule, pattern, text.count("*") > _PLAIN_STARS))

    def decide(self, path: str, is_directory: bool) -> bool | None:
        """Whether the entry at `path` (below this file's directory) is ignored; None when no rule speaks of it."""
        best = _Rule(-1, False, False)
        for rules in (self._names.get(path.rpartition("/")[2], ()), self._paths.get(path, ())):
            for rule in rules:
                if rule.order > best.order and (is_directory or not rule.only_directories):
                    best = rule
        for wildcard in self._wildcards:
            if wildcard.rule.order < best.order:
                break  # newest first: the rest cannot win
            if (is_directory or not wildcard.rule.only_directories) and _matches(wildcard, path):
                best = wildcard.rule
                break
        return None if best.order < 0 else best.ignores


def _compiled(text: str) -> re.Pattern[str] | None:
    try:
        source, _ = GitIgnoreSpecPattern.pattern_to_regex(text if text[0] not in "#!" else "\\" + text)
        return None if source is None else re.compile(source)
    except (GitIgnorePatternError, re.error, RecursionError, OverflowError):
        return None  # Git ignores it too; counted by the caller


def _matches(wildcard: _Wildcard, path: str) -> bool:
    try:
        found = (
            regex.search(wildcard.pattern.pattern, path, timeout=_RULE_SECONDS)
            if wildcard.slow
            else wildcard.pattern.search(path)
        )
    except TimeoutError:
        return False
    # The group is the slash after a matched parent: that parent was asked before and was not ignored.
    return found is not None and found.groupdict().get("ps_d") is None


def ignored(chain: Sequence[tuple[int, IgnoreRules]], path: str, is_directory: bool) -> bool:
    """Whether `path` is ignored; `chain` holds (length of the directory's prefix, rules), outermost first."""
    for cut, rules in reversed(chain):
        verdict = rules.decide(path[cut:], is_directory)
        if verdict is not None:
            return verdict
    return False
