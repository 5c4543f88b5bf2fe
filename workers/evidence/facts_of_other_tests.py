"""What a test file of JavaScript, TypeScript, Go, Rust or Java holds, by rules over its code without comments and strings."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import islice

from orchestrator.domain.dataclass import dataclass
from orchestrator.domain.patterns import expression
from workers.evidence.code_only import Code, code_of
from workers.evidence.facts_of_tests import TestFact, TestFileFacts
from workers.evidence.path_kinds import is_test_path

MOST_TESTS = 5_000  # of a file that are compared
_JS_TEST = expression(
    r"(?<![\w.$])(?P<word>[xf]?(?:it|test|describe|context|suite|specify))(?P<how>(?:\s*\.\s*\w+)*)\s*(?=[(`])"
)
_JS_GROUPS = frozenset(
    {"describe", "context", "suite", "xdescribe", "fdescribe", "xcontext", "fcontext", "xsuite"}
)
_JS_SKIPS = {
    "skip": "skip",
    "todo": "todo",
    "only": "only",
    "fails": "xfail",
    "failing": "xfail",
    "skipIf": "skip",
}
_JS_NEITHER = frozenset(
    {"use", "step", "extend", "beforeEach", "afterEach", "beforeAll", "afterAll", "setTimeout", "info"}
)
_JS_IN_BODY = expression(
    r"(?:\bthis|\bt|\bctx|\btest|\bcontext)\s*\.\s*(?:skip|todo|fixme)\s*\(|(?<![\w.$])pending\s*\("
)
_JS_ASSERT = expression(
    r"(?<![\w$])(?:expect\w*|assert\w*|should|cy)\s*(?:\.\s*\w+\s*)*\(|\.\s*should\b"
    r"|(?<![\w$.])t\s*\.\s*(?:is|not|deepEqual|equal|same|ok|truthy|falsy|throws\w*|like|regex|assert)\b"
)
_JS_EMPTY = expression(
    r"expect\s*\(\s*(true|1|false|0)\s*\)\s*\.\s*(?:toBe|toEqual|toStrictEqual)\s*\(\s*\1\s*\)"
    r"|expect\s*\(\s*true\s*\)\s*\.\s*toBeTruthy"
)
_NO_HELPER = expression(
    r"(?:import|export \{|use |package |mod |\"[^\"]*\"$|#\[|@|[xf]?(?:describe|context|suite)\b)"
)
_TITLE = expression(r"\(\s*(['\"`])((?:\\.|(?!\1).)*)\1", re.S)


@dataclass(frozen=True, slots=True)
class _Rules:
    """How tests of one language look in its code."""

    test: re.Pattern[str]  # with the group `name`; the body is the next pair of braces
    asserts: re.Pattern[str]
    skip_before: re.Pattern[str]  # in the attributes or annotations before the test
    skip_inside: re.Pattern[str]


_RULES = {
    "go": _Rules(
        expression(r"^func\s+(?P<name>(?:Test|Fuzz|Example)\w*)\s*\(", re.M),
        expression(
            r"\b\w+\s*\.\s*(?:Errorf?|Fatalf?|Fail|FailNow)\s*\(|\b(?:assert|require)\s*\.\s*\w+\s*\(|\bt\.Run\s*\("
        ),
        expression(r"(?!)"),
        expression(r"\b\w+\s*\.\s*(?:Skip|Skipf|SkipNow)\s*\("),
    ),
    "rust": _Rules(
        expression(
            r"#\[\s*(?:\w+::)*(?:test|rstest|test_case|quickcheck|proptest)\b[^\]]*\](?P<between>(?:\s*#\[[^\]]*\])*)"
            r"\s*(?:pub(?:\([^)]*\))?\s+)?(?:async\s+)?fn\s+(?P<name>\w+)"
        ),
        expression(r"\b(?:prop_)?assert\w*\s*!|\bpanic\s*!|\bunreachable\s*!"),
        expression(r"#\[\s*(?:ignore|should_panic|cfg(?:_attr)?)\b"),
        expression(r"(?!)"),
    ),
    "java": _Rules(
        expression(r"@(?:\w+\.)*(?:Test|ParameterizedTest|RepeatedTest|TestFactory|Property)\b"),
        expression(r"\b(?:assert\w*|verify\w*|fail|expect\w*)\s*\("),
        expression(r"@(?:\w+\.)*(?:Disabled\w*|Ignore|EnabledIf\w*|EnabledOn\w*)\b|\benabled\s*=\s*false"),
        expression(r"\b(?:assumeTrue|assumeFalse|assumeThat|abort)\s*\(|\bnew\s+SkipException\b"),
    ),
}
_ANNOTATION = expression(r"\s*(?:@[\w.]+)?\s*")
_JAVA_HEAD = expression(r"[\w<>\[\],.?\s&]{0,400}?\b(?P<name>\w+)\s*(?=\()")
_SKIPPED_CLASS = expression(r"@(?:Disabled|Ignore)\b[^;{}]{0,2000}\bclass\b")
_GO_TAG = expression(r"^//(?:go:build|\s*\+build)\b.*$", re.M)
_TAMPERING = {
    "javascript": expression(
        r"\bprocess\s*\.\s*(?:exit|reallyExit|abort)\s*\(|\bprocess\s*\.\s*exitCode\s*="
    ),
    "go": expression(r"\bos\s*\.\s*Exit\s*\(\s*0\s*\)"),
    "rust": expression(r"\bprocess\s*::\s*exit\s*\(\s*0\s*\)"),
    "java": expression(r"\bSystem\s*\.\s*exit\s*\(|\.\s*halt\s*\("),
}


def line_facts(path: str, text: str) -> TestFileFacts | None:
    """The tests of a file; None for a language without rules here."""
    code = code_of(path, text)
    if code is None:
        return None
    reader: Callable[[Code], Iterator[tuple[int, int, TestFact]]] = (
        _javascript if code.language == "javascript" else _by_rules
    )
    tests: dict[str, TestFact] = {}
    spans = []
    for start, end, test in islice(reader(code), MOST_TESTS):
        spans.append((start, end))
        tests.setdefault(test.name, test)
    skips: dict[str, int] = {}
    if code.language == "go":
        skips = {f"tag {found[0]}": code.line_at(found.start()) for found in _GO_TAG.finditer(code.text)}
    elif code.language == "java":
        for found in _SKIPPED_CLASS.finditer(code.code):
            skips["class annotation"] = code.line_at(found.start())
    ends = _TAMPERING[code.language].finditer(code.code)
    tampering = {f"calls {_plain(found[0])}": code.line_at(found.start()) for found in ends}
    if code.language == "rust" and not is_test_path(path):
        spans += list(_outside(code))
    helpers = {line: line for line in _beside(code, spans)}
    return TestFileFacts(tests, skips, {}, helpers, tampering)


def _outside(code: Code) -> Iterator[tuple[int, int]]:
    """What lies outside the modules of tests of a Rust source file."""
    start = 0
    for found in re.finditer(r"#\[\s*cfg\s*\(\s*test\s*\)\s*\]\s*(?:pub\s+)?mod\s+\w+\s*(?=\{)", code.code):
        if found.start() >= start:
            yield start, found.start()
            start = code.end_of(found.end())
    yield start, len(code.code)


def _beside(code: Code, spans: Sequence[tuple[int, int]]) -> Iterator[str]:
    """The lines of code beside the tests that they may use; imports and lone brackets are left out."""
    rest = list(code.text)
    for at, char in enumerate(code.code):
        if char == " ":
            rest[at] = " "  # a comment; strings are put back below
    for found in re.finditer(r"(['\"`])[ \n]*\1", code.code):
        rest[found.start() : found.end()] = code.text[found.start() : found.end()]
    for start, end in spans:
        rest[start:end] = ["\n" if char == "\n" else " " for char in rest[start:end]]
    for line in "".join(rest).split("\n"):
        plain = " ".join(line.split())
        if re.search(r"\w", plain) and not _NO_HELPER.match(plain):
            yield plain


def _by_rules(code: Code) -> Iterator[tuple[int, int, TestFact]]:
    rules = _RULES[code.language]
    for found in rules.test.finditer(code.code):
        named = _java_method(code, found.end()) if code.language == "java" else found
        start = code.code.find("{", named.end()) if named else -1
        if named is None or start < 0:
            continue
        end = code.end_of(start)
        before = _attributes(code.code, found.start()) + code.code[found.start() : named.end()]
        skips = [_plain(each[0]) for each in rules.skip_before.finditer(before)]
        skips += [_plain(each[0]) for each in rules.skip_inside.finditer(code.code, start, end)]
        asserts = tuple(_statement(code, each) for each in rules.asserts.finditer(code.code, start, end))
        body = _plain(before.replace(named["name"], "", 1)) + _plain(code.text[start:end])
        test = TestFact(named["name"], code.line_at(named.start("name")), body, asserts, tuple(skips))
        yield found.start(), end, test


def _java_method(code: Code, at: int) -> re.Match[str] | None:
    """The head of the method after an annotation, its name in `name`; None for a class and everything else."""
    while True:
        if code.code[at : at + 1] == "(":
            at = code.end_of(at)
        found = _ANNOTATION.match(code.code, at)
        if found is None or (found.end() == at and code.code[at : at + 1] != "("):
            return _JAVA_HEAD.match(code.code, at)
        at = found.end()


def _attributes(text: str, at: int) -> str:
    """The attributes or annotations before an offset, on its line and on those right above."""
    start = text.rfind("\n", 0, at) + 1
    while start > 0:
        above = text.rfind("\n", 0, start - 1) + 1
        if not text[above:start].lstrip().startswith(("#[", "@")):
            break
        start = above
    return text[start:at]


def _javascript(code: Code) -> Iterator[tuple[int, int, TestFact]]:
    groups: list[tuple[int, int, str, list[str]]] = []  # start, end, title, skips
    tests: list[tuple[int, int, str, list[str], int]] = []
    for found in _JS_TEST.finditer(code.code):
        word, how = found["word"], re.findall(r"\w+", found["how"])
        if not _JS_NEITHER.isdisjoint(how) or code.code[found.end()] != "(":
            continue
        opened, end = found.end(), code.end_of(found.end())
        if how[-1:] in (["each"], ["skipIf"], ["runIf"], ["for"]) and code.code[end : end + 1] == "(":
            opened, end = end, code.end_of(end)
        title = _TITLE.match(code.text, opened)
        if title is None:
            continue
        skips = [_JS_SKIPS[each] for each in how if each in _JS_SKIPS]
        skips += ["skip"] if word.startswith("x") else ["only"] if word.startswith("f") else []
        name = " ".join(title[2].split())
        if word in _JS_GROUPS or (word == "test" and how[:1] == ["describe"]):
            groups.append((opened, end, name, skips))
        else:
            tests.append((opened, end, name, skips, found.start()))
    left = (
        20 * len(code.code) + 100_000
    )  # characters of bodies: those of tests inside tests count again and again
    for opened, end, name, skips, start in tests:
        left -= end - opened
        if left < 0:
            return
        above = [group for group in groups if group[0] < opened and end <= group[1]]
        inherited = [skip for group in above for skip in group[3]]
        inside = [_plain(each[0]) for each in _JS_IN_BODY.finditer(code.code, opened, end)]
        trivial = [(each.start(), each.end()) for each in _JS_EMPTY.finditer(code.code, opened, end)]
        asserts = tuple(
            _statement(code, each)
            for each in _JS_ASSERT.finditer(code.code, opened, end)
            if not any(one <= each.start() < other for one, other in trivial)
        )
        full = " > ".join([*(group[2] for group in above), name])
        body = _plain(code.text[opened:end])
        yield start, end, TestFact(full, code.line_at(start), body, asserts, (*inherited, *skips, *inside))


def _statement(code: Code, found: re.Match[str]) -> str:
    """The assertion to the end of its line, in one form."""
    end = code.code.find("\n", found.end())
    return _plain(code.text[found.start() : end if end >= 0 else len(code.text)])


def _plain(text: str) -> str:
    """The code in one line, with no more blanks than it takes to keep its words apart."""
    return re.sub(r"(?<!\w) | (?!\w)", "", " ".join(text.split())).rstrip("(;,")
