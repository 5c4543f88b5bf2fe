"""Design tokens as variables of CSS, with a dark theme (docs/frontend.md).

Tokens are a tree of groups; a token is a value, or a mapping with its value as `$value` or `value`, and its dark one as
`$dark` or `dark`. `{color.brand}` names another token. A colour without a dark value gets one by rule: the same hue and
saturation, its lightness turned over. What is no value of CSS is left out and told.
"""

from __future__ import annotations

import colorsys
import json
import posixpath
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache

import tinycss2.color4

from orchestrator.domain.dataclass import dataclass, field
from orchestrator.domain.inert import one_line
from orchestrator.domain.json_types import Json
from orchestrator.domain.patterns import expression
from workers.context.run_context import RunContext
from workers.evidence.changed_files import names_of, read_blobs
from workers.git.git_process import Git

ARTIFACT = "architecture/design-tokens.json"  # of a session; else the repository's own file
NAME = "design-tokens.css"
MOST, LONGEST = 1_000, 200  # tokens, and characters of a value
DEPTH = 12
_OWN = expression(r"(?:^|/)(?:design-tokens|tokens|[\w-]+\.tokens)\.json$")
_VALUE = expression(r"[\w\s#%.,()/'\"+*-]+")
_REFERENCE = expression(r"\{([\w.\s-]+)\}")
_SKIPPED = ("node_modules/", "dist/", "build/", "vendor/")
_LIGHT, _DARK = ("$value", "value", "light"), ("$dark", "dark")


@dataclass(frozen=True, slots=True)
class Token:
    name: str  # of the variable, `--color-brand`
    value: str
    dark: str = ""  # empty: as in the light theme


@dataclass(frozen=True, slots=True)
class DesignTokens:
    """The tokens of a session."""

    source: str = ""  # the file that they were read from
    tokens: tuple[Token, ...] = ()
    notes: tuple[str, ...] = ()
    file: str = ""  # of the generated variables, below the tree
    names: frozenset[str] = field(default=frozenset())

    def css(self) -> bytes:
        """The style sheet: the variables, and their dark values where the system or the page asks for them."""
        dark = [(token.name, token.dark) for token in self.tokens if token.dark]
        lines = [f"/* Made from {posixpath.basename(self.source)}; change that, not this file. */", ":root {"]
        lines += ["  color-scheme: light dark;", *_declared(((t.name, t.value) for t in self.tokens), 2), "}"]
        if dark:
            lines += ["", "@media (prefers-color-scheme: dark) {", '  :root:not([data-theme="light"]) {']
            lines += [*_declared(dark, 4), "  }", "}", "", ':root[data-theme="dark"] {']
            lines += ["  color-scheme: dark;", *_declared(dark, 2), "}"]
        return ("\n".join(lines) + "\n").encode()


def tokens_of(context: RunContext, git: Git, base: str) -> DesignTokens:
    """The session's design tokens, else those of the repository at the commit `base`; empty where there are none."""
    text, source = context.text(ARTIFACT), ARTIFACT
    names = names_of(git, base)
    if text is None:
        own = sorted((name for name in names if _OWN.search(name)), key=lambda name: (name.count("/"), name))
        source = next((name for name in own if not name.startswith(_SKIPPED)), "")
        bodies, _ = read_blobs(git, [names[source]] if source else [])
        text = bodies[names[source]].decode("utf-8", "replace") if bodies else None
    if text is None:
        return DesignTokens()
    try:
        read, notes = read_tokens(json.loads(text))
    except (ValueError, RecursionError) as error:
        return DesignTokens(source, notes=(f"{source} is no JSON: {one_line(str(error), 200)}",))
    if not read:
        return DesignTokens(source, notes=(*notes, f"{source} has no design token"))
    return DesignTokens(source, tuple(read), tuple(notes), _place(names), frozenset(t.name for t in read))


def read_tokens(value: Json) -> tuple[list[Token], list[str]]:
    """The tokens of a file in its order, and why others were left out."""
    found: dict[str, Token] = {}
    notes: list[str] = []
    for path, light, dark in _tokens(value, ()):
        name = "--" + "-".join(filter(None, (_plain(part) for part in path)))
        shown = one_line(".".join(path), 80)
        given, given_dark = _css(light), _css(dark) if dark is not None else ""
        if name == "--" or given is None or given_dark is None:
            notes.append(f"the design token {shown} was left out: it is no value of CSS")
        elif name in found:
            notes.append(f"the design token {shown} was left out: {name} is another one already")
        elif len(found) >= MOST:
            notes.append(f"more than {MOST} design tokens: the others were left out")
            break
        else:
            found[name] = Token(name, given, given_dark or darkened(given))
    return list(found.values()), notes


def _tokens(value: Json, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], Json, Json]]:
    """(path, value, dark value) of each token."""
    if isinstance(value, str | int | float) and not isinstance(value, bool):
        if path:
            yield path, value, None
        return
    if not isinstance(value, Mapping) or len(path) > DEPTH:
        return
    light = next((value[key] for key in _LIGHT if isinstance(value.get(key), str | int | float)), None)
    if light is not None:
        yield path, light, next((value[key] for key in _DARK if key in value), None)
        return
    for key, inner in value.items():
        if not str(key).startswith("$") and not (not path and key in ("name", "version", "description")):
            yield from _tokens(inner, (*path, str(key)))


def _css(value: Json) -> str | None:
    """The value as CSS has it; None for what could end its declaration or is too long."""
    text = " ".join(str(value).split())
    text = _REFERENCE.sub(lambda found: f"var(--{'-'.join(map(_plain, found[1].split('.')))})", text)
    is_balanced = text.count("(") == text.count(")") and not text.count('"') % 2 and not text.count("'") % 2
    fits = 0 < len(text) <= LONGEST and _VALUE.fullmatch(text) is not None
    return text if fits and is_balanced and "url(" not in text.lower() and "/*" not in text else None


def _plain(part: str) -> str:
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "-", part.strip())
    return re.sub(r"[^a-z0-9]+", "-", spaced.lower()).strip("-")


@lru_cache(maxsize=MOST)
def darkened(value: str) -> str:
    """The colour for a dark theme: its lightness turned over; empty for what is no plain colour."""
    colour = tinycss2.color4.parse_color(value)
    if colour is None or colour == "currentcolor" or not colour.alpha:
        return ""
    red, green, blue = (min(1.0, max(0.0, part)) for part in colour.to("srgb").coordinates)
    hue, light, saturation = colorsys.rgb_to_hls(red, green, blue)
    parts = [round(255 * part) for part in colorsys.hls_to_rgb(hue, 1.0 - light, saturation)]
    alpha = f"{round(255 * colour.alpha):02x}" if colour.alpha < 1 else ""
    return "#" + "".join(f"{part:02x}" for part in parts) + alpha


def _declared(pairs: Iterable[tuple[str, str]], indent: int) -> list[str]:
    return [f"{' ' * indent}{name}: {value};" for name, value in pairs]


def _place(names: Iterable[str]) -> str:
    """Beside most style sheets of the tree; where it has none, in `styles/`."""
    listed = [name for name in names if not any(part in f"/{name}" for part in ("/node_modules/", "/dist/"))]
    sheets = Counter(posixpath.dirname(name) for name in listed if name.endswith((".css", ".scss")))
    if sheets:
        folder = min(sheets, key=lambda each: (-sheets[each], each.count("/"), each))
    else:
        folder = "src/styles" if any(name.startswith("src/") for name in listed) else "styles"
    return posixpath.join(folder, NAME)
