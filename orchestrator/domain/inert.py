"""Untrusted text made harmless to show: no control characters, no terminal escapes, no change of writing direction,
nothing that cannot be seen.

Characters without a shape of their own are kept only where a script or an emoji needs them: joiners between letters of
scripts that join, or between pictures; one variation selector after what it varies; the tags of the three flags that are
made of them. A row of them elsewhere can carry a whole hidden text.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING

from orchestrator.domain.patterns import pattern

if TYPE_CHECKING:
    import regex

_ACTIVE = pattern(
    r"(?![\n\t])[\p{Cc}\p{Cs}\p{Default_Ignorable_Code_Point}\u202A-\u202E\u2066-\u2069\u2028\u2029\uFFF9-\uFFFB]"
)
# Most text that is shown: Latin letters, punctuation, arrows, box drawing, CJK. Without a look at Unicode's properties,
# whose library takes long to load.
_HARMLESS = re.compile(
    "[\n\t -~\u00a1-\u00ac\u00ae-\u02ff\u2010-\u2027\u2190-\u21ff\u2500-\u257f\u3001-\u30ff\u4e00-\u9fff]*"
)
_FLAG = pattern(
    "\U0001f3f4\U000e0067\U000e0062(?:\U000e0065\U000e006e\U000e0067|\U000e0073\U000e0063\U000e0074|"
    "\U000e0077\U000e006c\U000e0073)\U000e007f"  # England, Scotland, Wales
)
_FLAG_LENGTH = 7  # characters
_ADDRESS = pattern(  # renderers make links of these without being asked; as code they stay what they are
    r"(?:[A-Za-z][A-Za-z0-9+.-]{1,20}://|mailto:|(?<![\w:/])//(?=\w)|www\.)[A-Za-z0-9:/?#@!$&'()*+,;=%~._\[\]-]+"
    r"|(?<![A-Za-z0-9.+_%-])[A-Za-z0-9.+_%-]++@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+"  # each run is tried once
)
_MARKUP = pattern(
    r"""\\(?=[!-/:-@\[-`{-~]|$)|[`*\[\]~|]|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])|&(?=[#A-Za-z])"""
)
_ENDS_ADDRESS = ".,;:!?)]'"


def inert(text: str) -> str:
    """`text` with every active character written out (`\\x1b`), lines and tabs kept."""
    return _escape(text, ascii)


def inert_json(text: str) -> str:
    """The same JSON with every active character of its strings escaped: a terminal shows it, and a line stays a line."""
    return _escape(text, json.dumps)


def _escape(text: str, written: Callable[[str], str]) -> str:
    if _HARMLESS.fullmatch(text):
        return text
    return _ACTIVE.sub(lambda found: found[0] if _is_needed(found) else written(found[0])[1:-1], text)


@cache
def _needed() -> regex.Pattern[str]:
    """What is looked for around one active character; compiled when the first one is met, since it takes a while."""
    joining = "".join(
        rf"\p{{Script={name}}}"
        for name in (
            *(
                "Arabic",
                "Syriac",
                "Nko",
                "Mongolian",
                "Devanagari",
                "Bengali",
                "Gurmukhi",
                "Gujarati",
                "Oriya",
            ),
            *("Tamil", "Telugu", "Kannada", "Malayalam", "Sinhala", "Myanmar", "Khmer", "Tibetan"),
        )
    )
    return pattern(
        rf"(?<=[{joining}])[\u200C\u200D](?=[{joining}])"
        r"|(?<=[\p{Extended_Pictographic}\p{Emoji_Modifier}]\uFE0F?)\u200D(?=\p{Extended_Pictographic})"
        r"|(?<=[\p{Emoji}])[\uFE0E\uFE0F]"
        r"|(?<=[\p{Han}\p{Sm}])[\uFE00-\uFE02]"
        r"|(?<=\p{Han})[\U000E0100-\U000E01EF]"
        r"|(?<=\p{Script=Mongolian})[\u180B-\u180D]"
    )


def _is_needed(found: regex.Match[str]) -> bool:
    """Whether the character belongs to the letter or picture beside it."""
    if not "\U000e0000" < found[0] < "\U000e0080":
        return _needed().match(found.string, found.start()) is not None
    nearby = _FLAG.finditer(
        found.string, pos=max(0, found.start() - _FLAG_LENGTH), endpos=found.end() + _FLAG_LENGTH
    )
    return any(flag.start() < found.start() < flag.end() for flag in nearby)


def one_line(text: str, limit: int = 10_000) -> str:
    """`text` inert, on one line, cut at `limit` characters."""
    joined = inert(" ".join(text.split()))
    return joined if len(joined) <= limit else joined[: limit - 1] + "…"


def plain_markdown(text: str) -> str:
    """`text` inert, as one line that Markdown shows as it is written, inside a line or in a table's cell."""
    return markdown(one_line(text))


def markdown(line: str) -> str:
    """Markdown that shows a line as it is written; addresses as code."""
    parts: list[str] = []
    at = 0
    for found in _ADDRESS.finditer(line):
        address = found[0].rstrip(_ENDS_ADDRESS)
        parts += [_escaped(line[at : found.start()]), f"`{address}`"]
        at = found.start() + len(address)
    return "".join([*parts, _escaped(line[at:])])


def _escaped(piece: str) -> str:
    return _MARKUP.sub(lambda found: "\\" + found[0], piece).replace("<", "&lt;")
