"""Design tokens as variables of CSS, with a dark theme (docs/frontend.md)."""

from typing import Any

import pytest
import tinycss2

from workers.landing.design_tokens import DesignTokens, Token, darkened, read_tokens


@pytest.mark.parametrize(
    ("given", "tokens"),
    [
        (
            {"color": {"brandBlue": {"$value": "#0055aa"}}},
            [Token("--color-brand-blue", "#0055aa", "#55aaff")],
        ),
        ({"page": {"value": "#fff", "dark": "#111"}}, [Token("--page", "#fff", "#111")]),
        ({"space": {"small": "8px", "none": 0}}, [Token("--space-small", "8px"), Token("--space-none", "0")]),
        ({"a": {"$value": "{color.brand}"}}, [Token("--a", "var(--color-brand)")]),
        ({"$schema": "x", "name": "Mine", "a": 1}, [Token("--a", "1")]),
    ],
)
def test_tokens_are_read(given: Any, tokens: list[Token]) -> None:
    assert read_tokens(given) == (tokens, [])


@pytest.mark.parametrize(
    "value",
    [
        "red; } body { display: none",
        "url(http://x.org/a)",
        "a</style>",
        "\\65 xpression(1)",
        "rgb(1",
        "x" * 300,
        "",
    ],
)
def test_what_could_end_its_declaration_is_left_out_and_told(value: str) -> None:
    tokens, notes = read_tokens({"bad": {"$value": value}, "good": "1px"})

    assert tokens == [Token("--good", "1px")]
    assert notes == ["the design token bad was left out: it is no value of CSS"]


def test_two_tokens_with_one_name_are_told() -> None:
    tokens, notes = read_tokens({"a b": "1px", "a-b": "2px"})

    assert tokens == [Token("--a-b", "1px")] and "another one already" in notes[0]


@pytest.mark.parametrize(
    ("light", "dark"),
    [("#ffffff", "#000000"), ("#0055aa", "#55aaff"), ("white", "#000000"), ("8px", ""), ("var(--a)", "")],
)
def test_a_dark_colour_has_the_lightness_turned_over(light: str, dark: str) -> None:
    assert darkened(light) == dark


def test_the_style_sheet_has_both_themes() -> None:
    tokens, _ = read_tokens({"page": "#fff", "gap": "8px"})

    css = DesignTokens("design-tokens.json", tuple(tokens), (), "site/design-tokens.css").css().decode()

    rules = tinycss2.parse_stylesheet(css, skip_comments=True, skip_whitespace=True)
    assert [rule.type for rule in rules] == ["qualified-rule", "at-rule", "qualified-rule"]
    assert css.count("--page: #fff;") == 1 and css.count("--page: #000000;") == 2 and css.count("--gap") == 1
