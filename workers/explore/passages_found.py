"""What the project itself says about a question: sentences of its documents and comments, and the names it defines."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence

from orchestrator.domain.patterns import expression
from orchestrator.domain.text import keywords, table_cells
from workers.explore import restructured
from workers.explore.root import shown
from workers.explore.seen import MOST_EVIDENCE, Evidence, Observation, Seen, cut, defined, words_of

MOST_PASSAGES, MOST_BESIDE = 4, 1  # of the perspective that leads, and of another
BIAS = 0.4  # what a word of the perspective weighs, beside one of the question
LONGEST = 420  # characters of a passage
FEWEST_WORDS = 2  # of the question that a passage must hold, where the question has as many
_COMMENT = expression(r"^\s*(?:#+:?|//+|/\*+(?![*/])|\*+(?![*/]))\s*(\S.*)$")
_DOCSTRING = expression(r'^\s*[rbu]?(?:"""|\'\'\')\s*(\S.*?)\s*(?:"""|\'\'\')?\s*$')
_TABLE = expression(r"^\s*\|.*\|\s*$")
_SAMPLES = expression(
    r"(^|/)(tests?|__tests__|specs?|e2e|fixtures?|testdata|test_data|samples?|cassettes?|vendor)/"
    r"|(^|/)(issue|pull_request)_template([./]|$)",
    re.I,
)
_RESTRUCTURED = (".rst", ".rest")
_EXAMPLES = expression(r"(^|/)(examples?|demos?|benchmarks?)/", re.I)
_CHANGES = expression(r"(^|/)(changelog|changes|history|news|releases?)(\.\w+)?$", re.I)
_SETTING = expression(r"[\w-]+:(\s|$)")
_MARKS = expression(r"^[\s>*+-]*(?:\d+\.\s)?|\[([^\]]*)\]\([^)]*\)")


def passages(seen: Seen) -> list[Observation]:
    """The sentences that hold most of the question's rarer words, each once, of as many files as possible.

    Where another perspective leads, only those that speak of this one's subject too.
    """
    if not seen.asked.words:
        return []  # nothing is asked for by name
    told = [(path, number, text, keywords(text)) for path, number, text in _sentences(seen)]
    wanted = seen.asked.words | seen.asked.bias
    used = Counter(word for *_, words in told for word in words & wanted)
    weight = {
        word: math.log(1 + len(told) / count) * (1 if word in seen.asked.words - seen.asked.plain else BIAS)
        for word, count in used.items()
    }
    telling = (seen.asked.words - seen.asked.plain) & used.keys() or seen.asked.words & used.keys()
    if not telling:
        return []  # nothing that is said has to do with it
    many = min(FEWEST_WORDS, len(telling))
    ranked: list[tuple[float, str, int, str]] = []
    for need, of_changes in ((many, False), (1, False), (many, True)):  # a list of changes tells what was
        ranked = ranked or [
            (
                sum(weight[word] for word in words & wanted) / math.sqrt(8 + len(words)),
                path,
                number,
                text,
            )
            for path, number, text, words in told
            if len(words & telling) >= need
            and bool(_CHANGES.search(path)) == of_changes
            and (seen.asked.leads or words & seen.asked.bias)
            and (path, number) not in seen.asked.told
        ]
    ranked.sort(key=lambda each: (-each[0], each[1], each[2]))
    found: list[Observation] = []
    quoted: list[str] = []
    files: Counter[str] = Counter()
    for _, path, number, text in ranked:
        if files[path] < 2 and all(_differs(text, other) for other in quoted):
            files[path] += 1
            said = seen.say("says", path=shown(path), text=text)
            evidence = (seen.at(path, number),)
            found.append(
                Observation(
                    "says", said, evidence, 1, "low", answers=seen.asked.leads, near=int(seen.asked.leads)
                )
            )
            quoted.append(text)
        if len(found) == (MOST_PASSAGES if seen.asked.leads else MOST_BESIDE):
            break
    return found


def _differs(text: str, other: str) -> bool:
    mine, theirs = keywords(text), keywords(other)
    return len(mine & theirs) < 0.7 * len(mine)


def _sentences(seen: Seen) -> Iterator[tuple[str, int, str]]:
    """(file, first line, text) of each paragraph of a document, and of each run of comment lines."""
    for path, lines in seen.texts.items():
        role = seen.roles[path]
        if _SAMPLES.search(path):
            continue  # what stands there is said of something else
        if role == "documentation":
            lines = restructured.prose(lines) if path.lower().endswith(_RESTRUCTURED) else lines
            yield from ((path, number, text) for number, text in paragraphs(lines))
        elif role in ("source", "entry point"):
            yield from ((path, number, text) for number, text in comments(lines))


def paragraphs(lines: Sequence[str]) -> Iterator[tuple[int, str]]:
    """Paragraphs, items of lists and rows of tables, without code."""
    held: list[str] = []
    first, fenced = 1, False
    head = _front_matter(lines)
    for number, line in enumerate([*lines[head:], ""], head + 1):
        fence = line.lstrip().startswith(("```", "~~~"))
        fenced = fenced != fence
        item = bool(re.match(r"\s*(?:[-*+]|\d+\.)\s", line)) or bool(_TABLE.match(line))
        ends = not line.strip() or line.startswith("#") or item or fence or fenced
        if ends and held:
            yield first, _shown(" ".join(held))
            held = []
        if line.strip() and not (line.startswith("#") or fence or fenced):
            if not held:
                first = number
            held.append(line)


def _front_matter(lines: Sequence[str]) -> int:
    """How many lines at the beginning are settings between two lines of hyphens."""
    if len(lines) < 2 or lines[0].rstrip() != "---" or not _SETTING.match(lines[1]):
        return 0
    return next((number for number, line in enumerate(lines[1:], 2) if line.rstrip() == "---"), 0)


def comments(lines: Sequence[str]) -> Iterator[tuple[int, str]]:
    """Runs of comment lines, first paragraphs of docstrings, and what the fields right below these say."""
    held: list[str] = []
    first, mark = 1, ""  # of a docstring that goes on
    for number, line in enumerate([*lines, ""], 1):
        if mark:
            text, closed, _ = line.strip().partition(mark)
            field = restructured.field_of(text)
            markup = restructured.is_markup(text)
            if field is None and text and not markup:
                held.append(text)
            elif held:
                yield first, _in_words(held)
                held = []
            if field:
                held, first = [field], number
            if closed or markup or not line.strip():
                mark = ""
            if held and not mark:
                yield first, _in_words(held)
                held = []
            continue
        match = _COMMENT.match(line)
        if match:
            first = first if held else number
            held.append(match[1])
            continue
        if held:
            yield first, _in_words(held)
            held = []
        if doc := _DOCSTRING.match(line):
            quotes = line.strip().lstrip("rbuRBU")[:3]
            if line.count(quotes) > 1:
                yield number, _in_words([doc[1]])
            else:
                is_said = restructured.field_of(doc[1]) is None and not restructured.is_markup(doc[1])
                held, first, mark = [doc[1]] if is_said else [], number, quotes


def _in_words(lines: Sequence[str]) -> str:
    return _shown(restructured.in_words(" ".join(lines)))


def _shown(text: str) -> str:
    first, *others = table_cells(text) or [text]
    said = f"{first}: {'; '.join(others)}" if others else first
    return cut(re.sub(r"\s+", " ", _MARKS.sub(r"\1", said).replace("**", "")).strip(), LONGEST)


def subject(seen: Seen) -> Observation | None:
    """Where the things that the question names are defined; the perspective that leads says it."""
    if not seen.asked.leads:
        return None
    wanted = seen.asked.words - seen.asked.plain or seen.asked.words
    named: list[tuple[frozenset[str], str, int, str]] = []
    for path in seen.ordered(seen.sources()):
        for number, line in enumerate(seen.texts[path], 1):
            name = defined(line)
            shared = keywords(words_of(name)) & wanted if name else frozenset()
            if name and shared and (path, number) not in seen.asked.told:
                named.append((shared, path, number, name))
    if not named:
        return None
    used = Counter(word for words, *_ in named for word in words)
    place = {path: number for number, path in enumerate(seen.relevant)}

    def rank(each: tuple[frozenset[str], str, int, str]) -> tuple[bool, float, int, str, int]:
        return (
            bool(_EXAMPLES.search(each[1])),
            -sum(1 / used[word] for word in each[0]) - len(each[0]),
            place.get(each[1], 99),
            each[1],
            each[2],
        )

    named.sort(key=rank)
    top = named[:MOST_EVIDENCE]
    evidence: tuple[Evidence, ...] = tuple(seen.at(path, number) for _, path, number, _ in top)
    names = seen.listed(dict.fromkeys(name for *_, name in top))
    text = seen.say("defined", names=names, count=len(named))
    return Observation("subject", text, evidence, len(named), answers=True, near=len(named))
