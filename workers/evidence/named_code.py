"""Whether a test can show a criterion that names code: it, or the change, has to mention one of the names.

An agent may name any test for a criterion. Of one in plain words nobody can tell by rule whether the test is about it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from functools import cached_property

from orchestrator.domain.patterns import expression
from workers.evidence.changed_files import ChangedFile, Changes
from workers.evidence.code_only import language_of
from workers.evidence.earlier_tests import words_of_test
from workers.evidence.named_tests import meant_by
from workers.evidence.runner import split_id
from workers.evidence.weakened_tests import facts_of

_QUOTED = expression(r"`([^`\n]{1,200})`")
_NAME = expression(r"(?:[A-Za-z_]\w*(?:\.|::|#|->))*([A-Za-z_]\w*)(?:\(.*\))?")
_PLAIN = expression(  # a call; a dotted, a snake and a camel name
    r"(?<![\w/@-])(?:\w+\.)*(?P<call>[A-Za-z_]\w*)\((?!e?s\))"
    r"|(?<![\w/@:.-])(?:[A-Za-z_]\w+\.)+(?P<dotted>[A-Za-z_]\w+)(?![\w/(@.-])"
    r"|(?<![\w/@.-])(?P<snake>[A-Za-z]\w*_\w+)\b"
    r"|(?<![\w/@.-])(?P<camel>[a-z]+[a-z0-9]*[A-Z][A-Za-z0-9]*)\b"
)
_FILES = "js mjs ts tsx jsx py rb go rs java cs html css json yaml yml toml xml csv md txt pdf png svg sql sh"
_OTHERS = "com org net io dev iPhone iPad iPod iOS iPadOS macOS tvOS watchOS eBay jQuery"
_NO_CODE = frozenset(f"{_FILES} {_OTHERS}".split())  # `index.html`, `Node.js`, `example.com`, `iPhone`
_WORD = expression(r"\w+")


def code_names(text: str) -> tuple[str, ...]:
    """The names of code in a text, of a dotted one the last: in backticks, called, dotted, with `_` or a hump."""
    quoted = (_NAME.fullmatch(each.strip()) for each in _QUOTED.findall(text))
    plain = _PLAIN.finditer(_QUOTED.sub(" ", text))
    found = [each[1] for each in quoted if each]
    found += [name for each in plain if each.lastgroup and (name := each[each.lastgroup]) not in _NO_CODE]
    return tuple(dict.fromkeys(found))


class Mentions:
    """What the lines of a change and its tests mention."""

    def __init__(self, changes: Changes) -> None:
        self._changes = changes

    def added(self, names: Collection[str]) -> bool:
        """Whether an added line, or the path of a changed file, has one of the names."""
        return not self._added.isdisjoint(names)

    def connects(self, test: str, names: Sequence[str], *, is_shared: bool) -> bool:
        """Whether the test can show what names this code. `is_shared`: it is named for other criteria as well.

        One whose text the change does not have is believed.
        """
        if not names or (not is_shared and self.added(names)):
            return True
        written = [self._words(file, test) for file in self._files_of(test)]
        return not written or any(not words.isdisjoint(names) for words in written)

    @cached_property
    def _added(self) -> frozenset[str]:
        files = self._changes.files
        lines = (line for file in files for line in (file.path, *(added for _, added in file.added)))
        return frozenset(word for line in lines for word in _WORD.findall(line))

    def _files_of(self, test: str) -> Iterator[ChangedFile]:
        """The changed file that the test is in; where its place is a folder, those below it that have a test of its name."""
        place, own = split_id(test)
        for file in self._changes.files:
            is_below = place == "." or file.path.startswith(f"{place}/")
            if file.path == place or (own and is_below and self._bodies(file, test)):
                yield file

    def _words(self, file: ChangedFile, test: str) -> frozenset[str]:
        return frozenset().union(*self._bodies(file, test)) or frozenset(_WORD.findall(file.text))

    def _bodies(self, file: ChangedFile, test: str) -> list[frozenset[str]]:
        """The words in what is written of the test in the file."""
        facts = facts_of(file.path, file.text)
        if facts is None:
            return []
        is_python = language_of(file.path) == "python"
        return [
            words_of_test(file.path, fact.body, facts)
            for name, fact in facts.tests.items()
            if meant_by(name.rpartition(".")[2] if is_python else name, (test,))
        ]
