"""The comments of an issue: who wrote each one when stands apart from what they say."""
# ruff: noqa: E501 - patterns are read whole

from __future__ import annotations

from collections import Counter

from orchestrator.domain.patterns import expression

_DATE = r"(?:\d{4}-\d\d-\d\d|\d{1,2}\.? [^\W\d]{3,9}\.? \d{4}|[^\W\d]{3,9}\.? \d{1,2},? \d{4}|\d{1,2} (?:minutes?|hours?|days?|weeks?|months?|years?) ago)"
_HEAD = expression(  # `endel · 2015-01-14`, `@ada commented on Jan 3, 2024`
    rf"^\**@?(?P<name>[^\W\d][\w-]{{0,38}})\**(?: \([^()]{{1,30}}\))?\s*(?:(?P<sure>[·•|]|commented(?: on)?|wrote(?: on)?|opened this issue(?: on)?|replied(?: on)?)|[,–—-]|on)\s*{_DATE}(?:[T, ]+(?:at )?\d\d:\d\d\S*)?\s*(?:\([^()]*\))?:?$"
)


def parted(lines: list[str]) -> tuple[list[str], list[str]]:
    """The lines without the heads of the comments, and those heads; a text with fewer than two has none.

    A head has what is said below it, and a mark that only heads have, or a name that writes again: `Beta - 2025-04-01` is
    a milestone.
    """
    found = {at: match for at, line in enumerate(lines) if (match := _HEAD.match(line.strip()))}
    names = Counter(match["name"] for match in found.values())
    heads = {
        at
        for at, match in found.items()
        if (match["sure"] or names[match["name"]] > 1)
        and any(line.strip() for line in lines[at + 1 : at + 3])
    }
    if len(heads) < 2:
        return lines, []
    said = ["" if at in heads else line for at, line in enumerate(lines)]
    return said, [lines[at].strip() for at in sorted(heads)]
