"""Words and their overlap: Unicode words, stemmed where English; CJK as bigrams (docs/domain.md, section 11)."""

from __future__ import annotations

import re
from functools import lru_cache

from orchestrator.domain.patterns import expression, pattern

TOKEN = pattern(  # a word, or a run of CJK characters
    r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Hangul}]+|[\p{L}\p{M}\p{N}]+(?:['’_.-][\p{L}\p{M}\p{N}]+)*"
)
_CJK = pattern(r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Hangul}]")
_LETTER = pattern(r"\p{L}")
_KANA_HANGUL = pattern(r"[\p{Hiragana}\p{Katakana}\p{Hangul}]")
_HIRAGANA_HANGUL = pattern(r"[\p{Hiragana}\p{Hangul}]")  # katakana alone is a name
_CELLS = pattern(r"(?<!\\)\|")
_ASKING = expression(
    r"(?:how(?! about)|why|where|when|which|what(?! if)|who|does|do|is|are)\b.*\?$"
    r"|.*(?:为什么|为何|如何|怎么|怎样|哪|什么|是否|吗).*[?？]$",
    re.I,
)
_MORE_SAID = expression(r"\n|[.!?]\s|[。！？].")
_STOP = frozenset(  # words that say nothing about what a text is about
    """
    a an and are as at be been before but by can could do does for from had has have if in into is it its may
    might must no nor not of on or our shall should so than that the their them then there these they this those
    to under was we were what when where which while who will with within would you your i he she his her also
    each every any all some such via per up out more most other
    """.split()  # noqa: SIM905 - a list of words is read more easily as words
)
_CJK_STOP = frozenset(  # words that say nothing about what a text is about
    """
    的 了 和 与 或 在 是 有 我们 并 可以 必须 应该 需要 以及 对 为 等 个 把 被 将
    """.split()  # noqa: SIM905 - a list of words is read more easily as words
)


UNSTEMMED = {"specific", "specifics", "specifically"}  # the stemmer takes them for forms of `specification`


@lru_cache(maxsize=16_384)
def _stem(word: str) -> str:
    if not word.isascii() or word in UNSTEMMED:
        return word
    import Stemmer  # few processes compare words

    return str(Stemmer.Stemmer("english", 0).stemWord(word))  # one object must not serve two threads


def is_cjk(text: str) -> bool:
    """Whether `text` is mostly written in Chinese, Japanese or Korean characters."""
    found = 0 if text.isascii() else len(_CJK.findall(text))
    return found > 0 and found * 3 >= len(_LETTER.findall(text))


def is_chinese(text: str) -> bool:
    """Whether `text` is mostly Chinese: Japanese and Korean are told by their own letters, few of which may be a name."""
    if text.isascii() or not _HIRAGANA_HANGUL.search(text):
        return is_cjk(text)
    return is_cjk(text) and len(_KANA_HANGUL.findall(text)) * 10 < len(_CJK.findall(text))


def is_question(text: str) -> bool:
    """Whether a text is one sentence that asks something: `How are keys rotated?`, `配置文件在哪里？`."""
    said = text.strip()
    return bool(_ASKING.match(said)) and not _MORE_SAID.search(said)


def keywords(text: str) -> frozenset[str]:
    """The meaningful words of `text`: lower case, English stemmed, stop words left out, CJK runs as bigrams."""
    found: set[str] = set()
    for token in TOKEN.findall(text):
        if _CJK.match(token):
            found.update(token[i : i + 2] for i in range(max(1, len(token) - 1)))
        else:
            word = token.lower()
            if word not in _STOP:
                found.add(_stem(word))
    return frozenset(found - _CJK_STOP)


def table_cells(line: str) -> list[str]:
    """What stands in a row of a Markdown table, without empty cells; none where `line` is no row.

    The last cell may have been cut off with an ellipsis.
    """
    row = line.strip()
    if len(row) < 3 or row[0] != "|" or row[-1] not in "|…" or "|" not in row[1:]:
        return []
    return [said for cell in _CELLS.split(row) if (said := cell.strip())]


def overlap(wanted: str, text: str | frozenset[str]) -> float:
    """Share (0 to 1) of the keywords of `wanted` that occur in `text`; 1.0 when `wanted` has none."""
    need = keywords(wanted)
    have = text if isinstance(text, frozenset) else keywords(text)
    return len(need & have) / len(need) if need else 1.0


def mentions(text: str, word: str) -> bool:
    """Whether `text` holds a word or phrase: English in any inflected form, CJK wherever it occurs."""
    if _CJK.search(word):
        return word in text
    wanted, have = _stems(word), _stems(text)
    return any(have[i : i + len(wanted)] == wanted for i in range(len(have) - len(wanted) + 1))


def _stems(text: str) -> list[str]:
    return [_stem(_singular(token).lower()) for token in TOKEN.findall(text)]


def _singular(token: str) -> str:
    """`NFRs` as `NFR`: the stemmer leaves words without a vowel alone."""
    return token[:-1] if token.endswith("s") and token[:-1].isupper() else token
