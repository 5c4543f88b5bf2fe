"""What `cargo test` prints: libtest's machine format needs a nightly compiler, so its lines are read.

Cargo names each test program on its error stream, the program its tests on its output stream; both count from the first,
so the n-th name belongs to the n-th list. A list is believed only if it has as many tests as its last line says, and
nothing after "failures:" is read, where the programs repeat what the tests printed.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterator

from orchestrator.domain.evidence import ERROR, FAILED, PASSED, SKIPPED
from orchestrator.domain.patterns import expression
from workers.evidence.cases import BUILD, CaseList, Cases
from workers.evidence.runner import SEPARATOR

_COLOUR = expression(r"\x1b\[[0-9;]*m")
_PROGRAM = expression(r"^\s+Running (?:unittests )?(\S.*?) \((.+?)\)$|^\s+Doc-tests (\S+)$")
_HASH = expression(r"-[0-9a-f]{16}(\.exe)?$")
_BEGIN = expression(r"^running (\d{1,9}) tests?$")
_TEST = expression(r"^test (.+?)(?: - should panic)? \.\.\. (ok|FAILED|ignored)(?:, (.*))?$")
_RESULT = expression(
    r"^test result: \w+\. (\d{1,9}) passed; (\d{1,9}) failed; (\d{1,9}) ignored; \d+ measured; \d+ filtered out"
)
_OUTCOMES = {"ok": PASSED, "FAILED": FAILED, "ignored": SKIPPED}
_NO_BUILD = expression(r"^error(\[E\d+\])?: ")
_DOC_LINE = expression(r" \(line \d+\)")  # moves with every edit above it


def cargo_cases(out: str, err: str) -> Cases:
    """The cases of all test programs of a workspace; a program that died in the middle is a fault."""
    into = CaseList()
    programs = [_label(match) for line in _plain(err) if (match := _PROGRAM.match(line))]
    lists = list(_lists(out))
    if not lists and (broken := [line for line in _plain(err) if _NO_BUILD.match(line)]):
        into.add(BUILD, ERROR, "\n".join(broken))
        return into.done()
    if len(programs) != len(lists):
        into.fault(f"{len(programs)} test programs were started, and {len(lists)} printed their tests")
        return into.done()
    for program, (expected, tests, result) in zip(programs, lists, strict=True):
        if result is None or sum(result) != len(tests) or len(tests) != expected:
            into.fault(f"{program} did not print each of its tests to the end")
        for name, word, note in tests:
            id = f"{program}{SEPARATOR}{_DOC_LINE.sub('', name)}"
            into.add(id, _OUTCOMES.get(word, ERROR), note or "")
    return into.done()


def _plain(text: str) -> Iterator[str]:
    return (_COLOUR.sub("", line).rstrip("\r\n") for line in io.StringIO(text))


def _label(match: re.Match[str]) -> str:
    source, program, documented = match.groups()
    if documented:
        return f"{documented}/doc"
    return f"{_HASH.sub('', program.replace(chr(92), '/').rpartition('/')[2])}/{source}"


_List = tuple[int, list[tuple[str, str, str | None]], tuple[int, int, int] | None]


def _lists(out: str) -> Iterator[_List]:
    expected, reads = None, False
    tests: list[tuple[str, str, str | None]] = []
    result: tuple[int, int, int] | None = None
    for line in _plain(out):
        if begin := _BEGIN.match(line):
            if expected is not None and (reads or result is not None):
                yield expected, tests, result
            elif expected is not None:
                continue  # printed by a test, in the part that repeats output
            expected, tests, result, reads = int(begin[1]), [], None, True
        elif reads and line == "failures:":
            reads = False
        elif reads and (test := _TEST.match(line)):
            tests.append((test[1], test[2], test[3]))
        elif found := _RESULT.match(line):
            result, reads = (int(found[1]), int(found[2]), int(found[3])), False
    if expected is not None:
        yield expected, tests, result
