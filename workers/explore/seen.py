"""What was read of a project, for rules that look for findings in it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from orchestrator.domain.dataclass import dataclass, field
from orchestrator.domain.json_types import JsonObject
from orchestrator.domain.patterns import expression
from orchestrator.domain.text import keywords
from workers.explore.knowledge import Knowledge
from workers.explore.observation_rules import in_code, observation_rules
from workers.explore.root import shown

LONGEST_QUOTE = 200  # characters
ELLIPSIS = "…"  # where a text was cut
MOST_EVIDENCE = 6  # lines that one finding shows; it says how many there are
DEFINES = expression(
    r"^\s*(?:export\s+|default\s+|pub(?:\([a-z]+\))?\s+|public\s+|private\s+|protected\s+|static\s+|async\s+|abstract\s+|final\s+)*"
    r"(?:class|def|func(?:\s+\([^)]*\))?|function|fn|interface|struct|enum|trait|type|record|const|module)\s+(?P<name>[A-Za-z_]\w*)"
)

_ASSIGNED = expression(
    r"^\s*[\w.]+\.(?P<name>[A-Za-z_]\w*)\s*=\s*(?:async\s+)?(?:function\b|\([\w\s,{}]*\)\s*=>)"
)  # of JavaScript


@dataclass(frozen=True, slots=True)
class Asked:
    """The meaningful words of a question, and those of the perspective it is asked from."""

    words: frozenset[str]
    bias: frozenset[str] = frozenset()  # of the perspective: they tell which of several passages is nearer
    plain: frozenset[str] = frozenset()  # words of the question that any perspective uses; they say less
    language: str = "en"  # in which findings are written
    leads: bool = True  # it answers the question itself; the other perspectives say what only they see of it
    told: frozenset[tuple[str, int]] = frozenset()  # (file, line) that need not be shown again

    @classmethod
    def of(
        cls,
        question: str,
        perspective: Iterable[str],
        beside: Iterable[str],
        *,
        views: Iterable[str] = (),
        language: str = "en",
        leads: bool = True,
        told: Iterable[tuple[str, int]] = (),
    ) -> Asked:
        """`beside`: words that tell how a question is asked, not what about. `views`: words of all perspectives."""
        bias = keywords(" ".join(perspective))
        words = keywords(in_code(question)) - keywords(" ".join(beside))
        words = words if leads else words - bias
        plain = words & keywords(" ".join(views))
        return cls(words, bias, plain, language, leads, frozenset(told))


@dataclass(frozen=True, slots=True)
class Evidence:
    path: str
    line: int  # from 1
    quote: str  # the line, without its margins


@dataclass(frozen=True, slots=True)
class Observation:
    """A finding by rule."""

    rule: str
    text: str
    evidence: tuple[Evidence, ...]
    count: int  # of the lines or files it holds for
    priority: str = "low"
    do: str = ""
    answers: bool = False  # it speaks of what was asked
    near: int = 0  # of the lines or files that concern the question

    def as_record(self) -> JsonObject:
        return {
            "rule": self.rule,
            "text": self.text,
            "count": self.count,
            "priority": self.priority,
            "do": self.do,
            "answers": self.answers,
            "near": self.near,
            "evidence": [{"path": e.path, "line": e.line, "quote": e.quote} for e in self.evidence],
        }


@dataclass
class Seen:
    """The texts of a project, and which of its files concern the question."""

    known: Knowledge
    texts: dict[str, list[str]]  # path -> lines
    roles: Mapping[str, str]
    relevant: Sequence[str]  # the most relevant first
    asked: Asked
    notes: list[str] = field(default_factory=list)
    changed: Mapping[str, int] = field(default_factory=dict)  # file -> commits that changed it lately
    imports: dict[str, set[str]] = field(default_factory=dict)  # file -> files that import it

    def ordered(self, paths: Iterable[str]) -> list[str]:
        """What concerns the question first."""
        place = {path: number for number, path in enumerate(self.relevant)}
        return sorted(paths, key=lambda path: (place.get(path, len(place)), path))

    def say(self, key: str, **values: object) -> str:
        """A sentence of config/observations.yaml in the language of the documents."""
        return observation_rules().sayings[key].told(self.asked.language, **values)

    def listed(self, names: Iterable[str]) -> str:
        return ("、" if self.asked.language == "zh" else ", ").join(names)

    def near(self, paths: Iterable[str]) -> int:
        """How many of the files concern the question."""
        concerned = set(self.relevant)
        return sum(path in concerned for path in paths)

    def at(self, path: str, number: int) -> Evidence:
        return Evidence(shown(path), number, quoted(self.texts[path][number - 1]))

    def sources(self, *, tests: bool = False) -> list[str]:
        wanted = "test" if tests else "source"
        return [
            path
            for path in self.texts
            if self.known.language(path)
            and (self.roles[path] == wanted or (not tests and self.roles[path] == "entry point"))
        ]


def quoted(line: str) -> str:
    """A line without its margins; one that is too long ends with an ellipsis."""
    return cut(line.strip(), LONGEST_QUOTE)


def cut(text: str, most: int) -> str:
    """At most so many characters: a longer text is cut between words and ends with an ellipsis."""
    if len(text) <= most:
        return text
    kept = text[: most - 1]
    return (kept.rsplit(" ", 1)[0] if " " in kept[most // 2 :] else kept) + ELLIPSIS


def defined(line: str) -> str | None:
    """The name that a line of code defines."""
    match = DEFINES.match(line) or _ASSIGNED.match(line)
    return match["name"] if match else None


def words_of(name: str) -> str:
    """`resumeSession` and `resume_session` as words."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|_", " ", name)
