"""How well something is to be done: the category of a statement, and whether it asks for a function, a quality or a limit."""
# ruff: noqa: E501 - patterns are read whole

from __future__ import annotations

import re
from collections import Counter
from typing import cast

from orchestrator.domain.patterns import expression
from orchestrator.domain.text import is_cjk
from workers.builtin.analysis import Category, Kind
from workers.builtin.clauses import Clause, unhedged
from workers.builtin.goals import goal_of
from workers.builtin.wishes import imperative
from workers.documents.lexicon import Lexicon, lexicon_of
from workers.documents.sentences import Sentence

_NO_QUALITY = expression(
    r"https?://\S+|\bports? `?\d+`?|\b(?:for|as) (?:an? |the |all )?(?:signed|logged)[- ]in \w+|\b[\w.]+\(\)"
    r"|\b(?:programming|query|markup|scripting|initial|common|popular|natural) languages?\b|\blanguages? (?:like|such as) (?-i:[A-Z])",
    re.IGNORECASE,
)  # addresses and calls, which have words of their own, and for whom it is
_LONGEST = 2_000  # characters of a statement that are searched
_ENSURE = expression(
    r"(?:please )?(?:make sure|ensure|keep|guarantee|make .* (?:in|under|within) )", re.IGNORECASE
)
_GOES_ON = expression(
    r"\b(?:go(?:es)? on|keeps?|continues?|still) (?:on )?(?:to )?(?:work|run|function)|\b(?:not|never) (?:get|be|become) slow",
    re.IGNORECASE,
)
_TIMED = expression(r"\b(?:an?|one|half an?) (?:second|minute)\b", re.IGNORECASE)
_SECONDS = expression(  # what is that short is said of an answer
    r"\b(?:\d[\d.,]*|half an?|an?|one|two|three|four|five|six|eight|ten|twenty|thirty)\s?(?:ms|milliseconds?|s|secs?|seconds?|millisekunden?|sekunden?|secondes?|segundos?)\b|秒",
    re.IGNORECASE,
)
_LABEL = expression(r"[^\W\d_][\w -]{2,30}(?=[:：]\s)")  # in front of a statement: `Ease of use: ...`
_MANY = expression(r"\b\d[\d.,]*\d{2} [a-z]+")  # how much there is to bear: `600 intakes`
_FAILS = expression(  # of a condition: what the product has to bear
    r"\b(?:down|gone|offline|unreachable|unavailable|fails?|cut|crash\w*|dies|dead|lost|drops?|breaks?|outage|off|away)\b|(?:断|中断|故障|离线|宕机)",
    re.IGNORECASE,
)


def category_of(text: str, lex: Lexicon) -> Category:
    """The category that most words and values of a statement speak of, of several the first; empty when none does."""
    said = _NO_QUALITY.sub(" ", text[:_LONGEST])
    speaking = [(name, pattern) for name, pattern in lex.categories if pattern.search(said)]
    names = dict.fromkeys(name for name, _ in speaking)
    if len(names) < 2:
        return cast(Category, next(iter(names), ""))
    found = [(name, match.span()) for name, pattern in speaking for match in pattern.finditer(said)]
    whole = [
        (name, span)
        for name, span in dict.fromkeys(found)
        if not any(_is_part(span, other) for _, other in found)
    ]
    counts = Counter({name for name, _ in found})
    counts |= Counter(name for name, _ in whole)
    if "P" in names and any(match[0][:1].isdigit() for match in _SECONDS.finditer(said)):
        counts["P"] += 1
    order = [*names]
    return cast(Category, max(counts, key=lambda name: (counts[name], -order.index(name))))


def _is_part(span: tuple[int, int], other: tuple[int, int]) -> bool:
    """Whether words stand within other, longer ones that speak of something as well: they speak of nothing by themselves."""
    return span != other and other[0] <= span[0] and span[1] <= other[1]


def quality_of(row: Sentence, lex: Lexicon) -> Category:
    """The category that the table, the label or the heading names, else the one of the sentence's own words.

    A heading above several kinds of statements is overruled by words that speak of nothing it names.
    """
    own = category_of(row.text, lex)
    if row.role != "nonfunctional":
        return own
    passage, values = row.passage, row.passage.values
    spoken_of = _spoken_of(row.text, lex)
    for said in (
        values.get("category", ""),
        "" if "requirement" in values else values.get("metric", ""),
        passage.id,
        passage.label,
        passage.title,
        label[0] if (label := _LABEL.match(row.text)) else "",
        row.text.partition(" | ")[0] if passage.block.kind == "row" and " | " in row.text else "",
    ):
        named = _named(said)
        if named:
            return named
    above = _named(passage.block.heading)
    if above and (not spoken_of or above in spoken_of):
        return above
    return own or ("P" if _SECONDS.search(row.text) else next(iter(spoken_of), ""))


def _spoken_of(text: str, lex: Lexicon) -> list[Category]:
    """Every category that words of a statement name."""
    said = text[:_LONGEST]
    return [
        cast(Category, name) for name, pattern in (*lex.categories, *lex.qualities) if pattern.search(said)
    ]


def _named(said: str) -> Category:
    """The one category that a heading or a label names; empty when it names none or several."""
    named = {name for name, pattern in lexicon_of(said).qualities if pattern.search(said)}
    return cast(Category, named.pop()) if len(named) == 1 else ""


_FEATURE = expression(  # what is used, though its words are of a quality: `Password reset by mail`, `Dark mode toggle`
    r"^(?:an? |the |some )?(?:[\w-]+ ){1,3}(?:toggle|switch|button|menu|checkbox|dropdown|slider|shortcut|dialog)s?\b(?! (?:must|shall|should|is|are|has|have)\b)|^(?:[\w-]+ )?(?:passwords? (?:reset|recovery|change)|log-?in (?:page|form|screen)|sign-?up (?:page|form))\b|^(?:reset|change|recover)(?:ting|ing)? (?:of )?(?:a |the |their |forgotten |lost )*passwords?\b|^(?:忘记|找回|重置|修改)密码|^passwort (?:zurücksetzen|ändern)",
    re.IGNORECASE,
)
_PEOPLE_DO = expression(  # `Users can download a backup`, `Members reset their password`
    r"(?:(?:all|the|each|every|any|an?|registered|new) )?(?:users?|members?|customers?|visitors?|guests?|admins?|administrators?|owners?|students?|teachers?|patients?|employees?) "
    r"(?:can|may|are able to|is able to|resets?|changes?|downloads?|exports?|deletes?|restores?|sets?|choose|chooses|logs? in|signs? in|signs? up)\b(?! (?:only|not|at least|at most|within|in under|up to)\b)",
    re.IGNORECASE,
)


def kind_of(row: Sentence, lex: Lexicon, taken: Clause, category: str) -> Kind:
    """What a statement asks for. What people do is a function, also where it is fast or safe."""
    is_feature = row.role == "requirement" and row.passage.title != ""  # a word for a limit only describes it
    if lex.find("bound", row.text) and not is_feature:
        return "constraint"
    if row.role in ("nonfunctional", "constraint"):
        return "nonfunctional" if category or row.role == "nonfunctional" else "constraint"
    if _FEATURE.search(row.text):
        return "functional"
    valued = (
        is_cjk(row.text) and category == "P" and any(c.isdigit() for c in row.text)
    )  # `查询结果1秒内显示`
    ordered = imperative(row.text, lex) and not _ENSURE.match(row.text) and not valued
    if not category or taken.actor or ordered or _PEOPLE_DO.match(row.text):
        return "functional"
    failing = any(_FAILS.search(condition) for condition in taken.conditions)
    borne = failing or (category == "SC" and _MANY.search(row.text)) or _GOES_ON.search(row.text)
    meanwhile = all(condition.startswith("while ") for condition in taken.conditions)
    if category in ("P", "SC") and not meanwhile and not borne:
        return "functional"
    if category in ("P", "SC") and unhedged(row.text) != row.text:
        return "functional"
    timed = any(c.isdigit() for c in row.text) or _TIMED.search(row.text) or goal_of(row.text, lex).target
    if category == "P" and not timed:
        return "functional"
    return "nonfunctional"
