"""Which language a text is written in, by its letters and small words; English and Chinese, which rules know, are not told."""
# ruff: noqa: E501 - lists of words

from __future__ import annotations

from functools import lru_cache

from orchestrator.domain.patterns import expression, pattern
from orchestrator.domain.text import is_chinese

_SMALL: dict[str, frozenset[str]] = {
    tongue: frozenset(words.split())
    for tongue, words in {
        "en": "the of and to is are a an in for with must should can be on that it we they this will not by from have has as or at",
        "de": "der die das und ist sind nicht ein eine einen einem einer mit von für auf wird werden kann können muss müssen soll sollen im zum zur bei nach aus dem den des sich wer wenn oder auch als wie kein keine ihre seine seinen wir es bis per über unter durch",
        "fr": "le la les des une un est sont dans pour avec sur qui que ne pas doit doivent peut peuvent aux du au par être ou et il elle nous chaque sans",
        "es": "el los las una un para con que por del debe deben puede pueden se en es son no su sus cada y al como sin",
        "it": "il lo gli la le della dei che per con una un deve devono può possono sono del nel alla non ogni e di da",
        "pt": "o os as uma um para com que não deve devem pode podem do da dos das em são por cada ao e",
        "nl": "het een van voor met niet moet moeten kan kunnen de en zijn wordt worden op aan dat die door bij",
        "pl": "i w na z do nie jest są się że który która musi może dla lub oraz przez",
        "sv": "och att det som en ett är inte för med på av den ska kan till om",
        "tr": "ve bir bu için ile olarak da de olmalı değil çok her",
    }.items()
}
_CODES = {
    word: [code for code, small in _SMALL.items() if word in small]
    for word in frozenset().union(*_SMALL.values())
}
_LETTERS = {
    "ja": pattern(r"[\p{Hiragana}\p{Katakana}]"),
    "ko": pattern(r"\p{Hangul}"),
    "ru": pattern(r"\p{Cyrillic}"),
    "ar": pattern(r"\p{Arabic}"),
}
NAMES = {
    "ar": "Arabic",
    "de": "German",
    "es": "Spanish",
    "fr": "French",
    "it": "Italian",
    "ja": "Japanese",
    "ko": "Korean",
    "nl": "Dutch",
    "pl": "Polish",
    "pt": "Portuguese",
    "ru": "Russian",
    "sv": "Swedish",
    "tr": "Turkish",
}
_WORD = expression(r"[^\W\d_]+")
_LEAST = 2  # small words that tell a language


@lru_cache(maxsize=4096)
def tongue(text: str) -> str:
    """The code of the language (`de`, `fr`, `ja` ...); empty for English and Chinese, and where little tells it."""
    if is_chinese(text):
        return ""
    letters = 0 if text.isascii() else sum(map(str.isalpha, text))
    for code, letter in _LETTERS.items() if letters else ():
        if 5 * len(letter.findall(text)) > letters:
            return code
    counts = dict.fromkeys(_SMALL, 0)
    for word in _WORD.findall(text.lower()):
        for code in _CODES.get(word, ()):
            counts[code] += 1
    best = max(counts, key=lambda code: (counts[code], code == "en"))
    return "" if best == "en" or counts[best] < _LEAST or counts[best] <= counts["en"] + 1 else best
