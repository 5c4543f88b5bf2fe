"""The sixteen delivery checks, each with what it finds and what it leaves alone (config/frontend.yaml)."""

from __future__ import annotations

from pathlib import Path

import pytest
from pydantic import ValidationError

from workers.evidence.changed_files import ChangedFile, Changes
from workers.evidence.frontend_checks import frontend_checks, read_checks
from workers.evidence.frontend_rules import ELEMENTS, STYLES, Frontend, SourceFile, answer_all, element_at

TOKENS = ("--color-brand",)
PAGE = '<!doctype html>\n<html lang="en"><head><meta name="viewport" content="width=device-width"></head>\n<body>\n'
SVELTE = (
    '<script>let go = () => 1</script>\n{#if a < 3}\n<button on:click={() => go("x>y")}>Go</button>\n{/if}\n'
)


def rules(path: str, text: str, before: str | None = None, tokens: tuple[str, ...] = TOKENS) -> set[str]:
    """The checks that find something in the lines of a file that are new."""
    old = None if before is None else before.encode()
    file = ChangedFile(path, "A" if before is None else "M", old, text.encode(), path)
    answered = answer_all(Frontend(Changes([file]), frontend_checks(), tokens))
    return {each.check for each in answered if each.findings}


@pytest.mark.parametrize(
    ("path", "text", "found"),
    [
        ("a.html", PAGE + '<img src="a.png">', {"image_alt"}),
        ("a.html", PAGE + '<img src="a.png" alt=""><img src="b.png" role="presentation">', set()),
        ("a.jsx", "const a = <img src={b} />;\n", {"image_alt"}),
        ("a.jsx", "const a = <><img alt={b} /><img {...rest} /></>;\n", set()),
        ("a.vue", '<template><img :src="a"></template>', {"image_alt"}),
        ("a.vue", '<template><img :src="a" :alt="b"></template>', set()),
        ("a.svelte", "<img {src} {alt}>", set()),
        ("a.html", PAGE + '<input name="q"><input type="hidden" name="t">', {"control_label"}),
        ("a.html", PAGE + '<label for="q">Name</label><input id="q"><label>Age <input></label>', set()),
        ("a.tsx", "const a = <><label htmlFor={id}>x</label><input id={id} /></>;\n", set()),
        ("a.html", PAGE + '<div onclick="go()">Go</div>', {"keyboard_reach"}),
        ("a.html", PAGE + '<div onclick="go()" onkeydown="go()" tabindex="0" role="button">Go</div>', set()),
        ("a.svelte", SVELTE, set()),
        ("a.svelte", "<div on:click={() => go(1)}>Go</div>", {"keyboard_reach"}),
        ("a.css", "a { outline: none }", {"focus_visible"}),
        ("a.css", "a { outline: none }\na:focus-visible { outline: 2px solid }", set()),
        ("a.html", "<html><head></head></html>", {"page_language", "viewport"}),
        ("a.html", PAGE.replace("device-width", "device-width, user-scalable=no"), {"viewport"}),
        ("a.html", PAGE.replace("device-width", "device-width, maximum-scale=5"), set()),
        ("a.css", "button { width: 16px }\n.icon { width: 16px }", {"touch_target"}),
        ("a.css", ".a { animation: spin 1s }", {"reduced_motion"}),
        ("a.css", ".a { transition: color 1s }", set()),
        (
            "a.css",
            ".a { animation: spin 1s }\n@media (prefers-reduced-motion: reduce) { .a { animation: none } }",
            set(),
        ),
        ("a.jsx", "const a = <p dangerouslySetInnerHTML={b} />;\n", {"raw_markup"}),
        ("a.jsx", "const a = <ul>{b.map(c => <li>{c}</li>)}</ul>;\n", {"list_key"}),
        ("a.jsx", "const a = <ul>{b.map(c => <li key={c}><b>{c}</b></li>)}</ul>;\n", set()),
        ("a.vue", '<template><li v-for="a in b">{{ a }}</li></template>', {"list_key"}),
        ("a.html", PAGE + '<p style="margin: 0">x</p>', {"inline_style"}),
        ("a.css", ".a { color: #ff0000 }", {"token_colour"}),
        ("a.css", ".a { color: var(--color-brand); border: 1px solid currentColor; --own: #fff }", set()),
        ("a.css", ".a { color: var(--color-brnad) }", {"unknown_token"}),
        ("a.css", ".a { color: var(--color-brnad, var(--color-brand)) }", set()),
        ("a.scss", ".a { // a { outline: none }\n .b { color: rgb(1, 2, 3) } }", {"token_colour"}),
        ("a.jsx", "console.log(1);\n", {"leftovers"}),
        ("a.jsx", "logger.log(1); showalert(2); confirm.alert(3);\n", set()),
        ("a.html", PAGE + '<a href="#">Lorem ipsum</a>', {"placeholder"}),
        ("a.html", PAGE + '<a href="#top">Up</a>', set()),
        ("a.html", PAGE + '<script src="http://example.org/a.js"></script>', {"plain_http"}),
        ("a.html", PAGE + '<a href="http://example.org">there</a>', set()),
    ],
)
def test_what_a_check_finds(path: str, text: str, found: set[str]) -> None:
    assert rules(path, text) == found


def test_there_are_sixteen_checks_and_each_has_its_rule() -> None:
    checks = frontend_checks().checks

    assert len(checks) == 16
    assert {name for name, check in checks.items() if check.looks_at == "elements"} == set(ELEMENTS)
    assert {name for name, check in checks.items() if check.looks_at == "styles"} == set(STYLES)


def test_lines_that_were_there_before_are_nobodys() -> None:
    before = '<img src="old.png">\n'

    assert rules("a.html", before + "<p>more</p>\n", before) == set()
    assert rules("a.html", before + '<img src="new.png">\n', before) == {"image_alt"}


def test_without_tokens_the_design_is_not_judged() -> None:
    file = ChangedFile("a.css", "A", None, b".a { color: red }", "a.css")
    answered = {each.check: each for each in answer_all(Frontend(Changes([file]), frontend_checks()))}

    assert not answered["token_colour"].findings and "no design tokens" in answered["token_colour"].why_not
    assert answered["focus_visible"].looked_at == 1


def test_a_finding_names_its_line() -> None:
    file = ChangedFile("a.html", "A", None, b"<p>x</p>\n<img\n  src='a.png'>\n", "a.html")
    (alt,) = (
        each for each in answer_all(Frontend(Changes([file]), frontend_checks())) if each.check == "image_alt"
    )

    assert [(each.line, each.quote, each.check) for each in alt.findings] == [(2, "<img", "accessibility")]


def test_an_element_of_a_browser_is_found_in_its_source_where_it_is_the_only_one() -> None:
    text = b'<a href="/x">one</a>\n<a href="/y">two</a>\n<p>a</p>\n<p>b</p>\n'
    file = SourceFile(ChangedFile("a.html", "A", None, text, "a.html"))

    found = element_at(file, '<a href="/y" data-seen="1">two</a>')

    assert found is not None and found.line == 2
    assert element_at(file, "<p>b</p>") is None and element_at(file, "no markup") is None


@pytest.mark.parametrize(
    "text",
    ["{#if", "<" * 3000, "<div " * 500, "a{" * 500, "a{b:" + "(" * 5000, "<p style='", "const a = <div>;"],
)
@pytest.mark.parametrize("suffix", ["html", "vue", "svelte", "jsx", "tsx", "css", "scss"])
def test_broken_files_are_read_as_far_as_they_go(suffix: str, text: str) -> None:
    assert isinstance(rules(f"a.{suffix}", text), set)


@pytest.mark.parametrize(
    "change",
    [
        ("looks_at: lines", "looks_at: elements"),
        ("severity: low", "severity: awful"),
        ("dimension: design", "dimension: beauty"),
        ('dont: "a class"', 'never: "a class"'),
    ],
)
def test_a_check_that_makes_no_sense_is_refused(tmp_path: Path, change: tuple[str, str]) -> None:
    text = (
        "files: [html]\nchecks:\n  a:\n    dimension: design\n    severity: low\n    looks_at: lines\n    pattern: x\n"
        '    text: "t"\n    do: "d"\n    dont: "a class"\n'
    )
    (tmp_path / "a.yaml").write_text(text)
    assert read_checks(tmp_path / "a.yaml").covers("b/c.HTML")
    (tmp_path / "a.yaml").write_text(text.replace(*change))

    with pytest.raises(ValidationError):
        read_checks(tmp_path / "a.yaml")
