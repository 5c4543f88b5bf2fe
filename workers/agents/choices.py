"""Choices as agents spell them: other words for each, and the severities that stand in a text."""

from __future__ import annotations

import re

from orchestrator.domain.patterns import expression

LOOKED_AT = 2_000  # characters
GRADES = ("low", "medium", "high", "critical")
# Other words for a choice, by the choice; spelling, case and punctuation do not count.
SYNONYMS: dict[str, tuple[str, ...]] = {
    "low": ("minor", "trivial", "cosmetic", "nit", "info", "small", "低", "轻微"),
    "medium": ("moderate", "med", "mid", "normal", "average", "中", "中等"),
    "high": ("major", "serious", "important", "significant", "large", "高"),
    "critical": (
        "crit",
        "blocker",
        "blocking",
        "fatal",
        "showstopper",
        "very high",
        "extreme",
        "致命",
        "危急",
        "极高",
    ),
    "stated": ("request", "from the request", "user", "given"),
    "repository": ("repo", "codebase", "code", "found"),
    "proposed": ("proposal", "suggested", "inferred", "assumed", "derived"),
    "Must": ("must have", "required", "mandatory"),
    "Should": ("should have",),
    "Could": ("could have", "nice to have", "optional"),
    "Won't": ("wont have", "will not", "out of scope"),
    "functional": ("function", "fr"),
    "nonfunctional": ("nfr", "quality"),
    "constraint": ("limit", "limitation"),
    "exclusion": ("excluded", "out of scope"),
    "P": ("performance",),
    "S": ("security", "small"),
    "SC": ("scalability",),
    "U": ("usability",),
    "M": ("medium", "moderate"),
    "L": ("large",),
    "XL": ("extra large", "very large", "huge"),
}


def plain(name: str) -> str:
    """A name or a word without what people spell in different ways."""
    return "".join(mark for mark in name[:80].casefold() if mark.isalnum())


NOTHING = frozenset(map(plain, ("", "none", "n/a", "null", "nil", "nothing", "unknown", "无")))


def choice_of(word: str, known: tuple[str, ...]) -> str | None:
    """Which of the known choices a word means; None when it plainly means none of them."""
    said = plain(word)
    return next((each for each in known if said in (plain(each), *map(plain, SYNONYMS.get(each, ())))), None)


def grade_of(word: str) -> str | None:
    return _GRADE_WORDS.get(plain(word))


def gravest_in(text: str) -> str | None:
    """The gravest severity that a text has a word for."""
    words = (_GRADE_WORDS[plain(word)] for word in _GRADE.findall(text[:LOOKED_AT]))
    return max(words, key=GRADES.index, default=None)


def grade_marked(text: str) -> str | None:
    """The gravest severity that a line is marked with, as in "[critical] no backup" or "Blocker: no backup"."""
    words = (word for match in _MARKED.finditer(text[:LOOKED_AT]) for word in match.groups() if word)
    return max((_GRADE_WORDS[plain(word)] for word in words), key=GRADES.index, default=None)


def speaks_of_critical(text: str) -> bool:
    return _GRAVE_WORD.search(text[:LOOKED_AT]) is not None


def says_none(text: str) -> bool:
    """Whether a text says no more than that there is nothing to find, as in "No critical issues found."."""
    said = text.strip()
    return len(said) <= 80 and (plain(said) in NOTHING or _NONE.fullmatch(said) is not None)


_GRADE_WORDS = {plain(word): grade for grade in GRADES for word in (grade, *SYNONYMS[grade])}
_ANY_GRADE = "|".join(
    sorted((re.escape(word) for g in GRADES for word in (g, *SYNONYMS[g])), key=len, reverse=True)
)
_GRADE = expression(rf"(?<![^\W_])(?:{_ANY_GRADE})(?![^\W_])", re.I)
_MARKED = expression(
    rf"[(\[【]\W{{0,3}}(?:severity\W{{1,3}})?({_ANY_GRADE})\W{{0,3}}[)\]】]"
    rf"|^\W{{0,6}}(?:severity\W{{1,3}})?({_ANY_GRADE})(?:\W{{0,3}}[:：]|[ \t]*[–—-][ \t])",
    re.I,
)
# All of the text, not just its beginning: "No problem statement" and "No high availability" are weaknesses.
_NONE = expression(
    rf"(?:there (?:are|is|were) )?(?:no|none|nothing)(?:[ ,/]+(?:{_ANY_GRADE}|or|and|other|further|real|obvious))*"
    r"(?: (?:issues?|weakness(?:es)?|concerns?|problems?))?(?:(?:,| or| and) (?:issues?|weaknesses|concerns|problems))*"
    r"(?: (?:were |was |have been )?(?:found|identified|noted|seen|detected|to report))?"
    r"(?: (?:at this (?:stage|time|point)|so far|here))?\W*"
    rf"|(?:没有|无|未发现)(?:{_ANY_GRADE}|任何|明显|严重|重大|的)*(?:问题|缺点|弱点|不足|风险)?\W*",
    re.I,
)
_GRAVE_WORD = expression(r"(?<![^\W_])critical|致命", re.I)
