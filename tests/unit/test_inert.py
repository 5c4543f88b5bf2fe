"""Text of strangers as it is shown: what acts or cannot be seen is written out, what a language needs is kept."""

from __future__ import annotations

import json
import sys

import pytest

from orchestrator.domain.inert import _ACTIVE, _HARMLESS, inert, inert_json, one_line

ENGLAND = "\U0001f3f4\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f"
NEEDED = {
    "Persian": "می\u200cخواهم",
    "Hindi": "क्\u200dष",
    "family": "\U0001f469\u200d\U0001f469\u200d\U0001f467",
    "flag of pictures": "\U0001f3f3\ufe0f\u200d\U0001f308",
    "skin and profession": "\U0001f469\U0001f3fd\u200d\U0001f4bb",
    "heart in colour": "\u2764\ufe0f",
    "keycap": "1\ufe0f\u20e3",
    "flag of tags": f"{ENGLAND} and {ENGLAND}",
    "variant of a character": "葛\U000e0100城",
    "lines and tabs": "one\n\ttwo",
}
ACTIVE = {
    "escape": "\x1b[31m",
    "C1": "\x9b31m",
    "delete": "\x7f",
    "right to left": "\u202egnp.exe\u202c",
    "isolates": "\u2066a\u2069",
    "marks": "a\u200e\u200f\u061cb",
    "zero-width space": "pass\u200bword",
    "joiner between Latin letters": "pass\u200dword",
    "non-joiner between Latin letters": "pass\u200cword",
    "joiner alone": "\u200d",
    "word joiner": "a\u2060b",
    "byte order mark": "a\ufeffb",
    "soft hyphen": "a\u00adb",
    "filler": "a\u3164b",
    "tags": "a\U000e0041\U000e0042",
    "tags after a flag": "\U0001f3f4\U000e0041\U000e007f",
    "selectors in a row": "葛\U000e0100\U000e0101",
    "selector after a letter": "a\ufe0fb",
    "line separators": "a\u2028b\u2029c",
    "lone surrogate": "\udcff",
}


@pytest.mark.parametrize("text", NEEDED.values(), ids=NEEDED)
def test_what_a_script_or_a_picture_needs_is_kept(text: str) -> None:
    assert inert(text) == text
    assert json.loads(inert_json(json.dumps(text, ensure_ascii=False))) == text


@pytest.mark.parametrize("text", ACTIVE.values(), ids=ACTIVE)
def test_what_acts_or_cannot_be_seen_is_written_out(text: str) -> None:
    shown = inert(f"before {text} after")

    assert shown != f"before {text} after"
    assert inert(shown) == shown
    assert not any(
        char in shown for char in "\x1b\x9b\x7f\u202e\u2066\u200e\u200b\u2060\ufeff\u00ad\u3164\u2028\udcff"
    )
    assert "\U000e0041" not in shown and "\U000e0101" not in shown


@pytest.mark.parametrize("text", [*ACTIVE.values(), *NEEDED.values()], ids=[*ACTIVE, *NEEDED])
def test_json_made_inert_holds_the_same_values(text: str) -> None:
    given = {"key " + text: [text, {"inner": text}]}

    shown = inert_json(json.dumps(given, ensure_ascii=False, indent=2))

    assert json.loads(shown) == given


def test_every_control_and_every_invisible_character_is_written_out_alone() -> None:
    import unicodedata

    passed = [
        hex(number)
        for number in range(sys.maxunicode + 1)
        if unicodedata.category(chr(number)) in ("Cc", "Cf", "Cs", "Zl", "Zp")
        and chr(number) not in "\n\t"
        and inert(chr(number)) == chr(number)
    ]

    assert all(unicodedata.name(chr(int(each, 16))).startswith(SHOWN) for each in passed), passed


SHOWN = ("ARABIC", "SYRIAC", "KAITHI", "EGYPTIAN")  # signs that are drawn around the numbers that follow


def test_one_line_is_inert_too() -> None:
    assert one_line("a\u200bb\u2028c") == "a\\u200bb c"


def test_what_passes_without_a_look_at_unicode_is_harmless() -> None:
    passed = [chr(code) for code in range(sys.maxunicode + 1) if _HARMLESS.fullmatch(chr(code))]
    assert [each for each in passed if _ACTIVE.search(each)] == [] and len(passed) > 20_000
