"""The delivery checks of frontend work over the lines that changed, by rules (config/frontend.yaml has their words)."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from functools import cached_property

import tinycss2.color4

from orchestrator.domain.dataclass import dataclass
from orchestrator.domain.evidence import Finding
from orchestrator.domain.inert import one_line
from orchestrator.domain.patterns import expression
from workers.evidence.changed_files import ChangedFile, Changes
from workers.evidence.frontend_checks import DeliveryCheck, FrontendChecks
from workers.evidence.page_elements import Element, Page, read_page
from workers.evidence.style_declarations import StyleDeclaration, read_styles

MOST = 50  # findings of one check; with fewer its dimension has no points left
QUOTED = 200  # characters of a line that are kept
LONGEST = 5_000  # characters of a line; longer ones are generated
TARGET = 24  # pixels that a control has at least, both ways (WCAG 2.2, 2.5.8)
SMALLEST_ZOOM = 2.0
NAMED_BY = ("aria-label", "aria-labelledby", "title")
_UNLABELLED = frozenset(
    {"hidden", "submit", "button", "reset", "image"}
)  # types of inputs that need no label
_PLAIN = frozenset(  # elements that no keyboard reaches by themselves
    {
        "div",
        "span",
        "p",
        "li",
        "ul",
        "ol",
        "section",
        "article",
        "header",
        "footer",
        "main",
        "nav",
        "aside",
        "img",
    }
    | {"td", "tr", "th", "svg", "i", "b", "em", "strong", "h1", "h2", "h3", "h4", "h5", "h6"}
)
_CONTROL = expression(
    r"(?:^|[\s>+~,])(?:a|button|input|select|summary)(?![\w-])|\.(?:btn|button)\b|\[role=.?button"
)
_PIXELS = expression(r"^(\d+(?:\.\d+)?)px$")
_MOVES = expression(r"\b(?:all|transform|translate|rotate|scale|top|left|right|bottom|width|height|margin)\b")
_VARIABLE = expression(r"var\(\s*(--[\w-]+)\s*(,)?")
_COLOURED = expression(r"color$|^(?:background|border(?:-\w+)?|outline|box-shadow|fill|stroke)$")
_WORD = expression(
    r"#[0-9a-fA-F]{3,8}\b|\b(?:rgba?|hsla?|hwb|lab|lch|oklab|oklch)\([^)]*\)|(?<![\w-])[a-zA-Z]+(?![\w(-])"
)
_NO_COLOURS = frozenset({"transparent", "currentcolor", "inherit"})
_NOTHING = frozenset({"none", "0", "0px", "unset", "initial"})


@dataclass(frozen=True)
class Frontend:
    """The changed frontend files of a session, and what of the rest the rules need."""

    changes: Changes
    checks: FrontendChecks
    tokens: Collection[str] = ()  # names of the variables that design tokens define; none: no tokens
    defined: Collection[str] = ()  # names of all variables that the tree's style sheets define
    calm: bool = False  # a style sheet that did not change stops movement
    token_file: str = ""  # the generated one: nothing in it is checked

    @cached_property
    def files(self) -> list[SourceFile]:
        found = (file for file in self.changes.files if self.checks.covers(file.path))
        return [SourceFile(each) for each in found if not each.is_deleted and each.path != self.token_file]

    @cached_property
    def is_calm(self) -> bool:
        return self.calm or any("prefers-reduced-motion" in each.changed.text for each in self.files)


@dataclass(frozen=True)
class SourceFile:
    """One changed file, parsed."""

    changed: ChangedFile

    @cached_property
    def suffix(self) -> str:
        return self.changed.path.rpartition(".")[2].lower()

    @cached_property
    def page(self) -> Page:
        return read_page(self.suffix, self.changed.text)

    @cached_property
    def styles(self) -> list[StyleDeclaration]:
        if self.suffix in ("css", "scss"):
            return read_styles(self.changed.text, is_scss=self.suffix == "scss")
        return [each for text in self.page.styles for each in read_styles(text.text, line=text.line)]

    @cached_property
    def labelled(self) -> frozenset[str]:
        """The ids that labels name."""
        fors = (element.attributes.get("for") for element in self.page.elements if element.tag == "label")
        return frozenset(each for each in fors if each)

    @cached_property
    def has_open_labels(self) -> bool:
        """Whether code decides what a label is for."""
        return any(
            element.tag == "label" and element.attributes.get("for", "") is None
            for element in self.page.elements
        )

    def first_new(self, lines: Collection[int]) -> int:
        """The first of the lines that is new; 0 when none is."""
        return min((line for line in lines if line in self.changed.added_numbers), default=0)


@dataclass(frozen=True, slots=True)
class Answered:
    """What one check came to."""

    check: str
    looked_at: int  # elements, declarations or lines that are new
    findings: tuple[Finding, ...]
    dont: str
    why_not: str = ""  # why it was not made


def answer_all(frontend: Frontend) -> list[Answered]:
    """Every check with what it looked at and what it found, in the order of the configuration."""
    return [_answered(name, check, frontend) for name, check in frontend.checks.checks.items()]


def _answered(name: str, check: DeliveryCheck, frontend: Frontend) -> Answered:
    if check.tokens and not frontend.tokens:
        return Answered(name, 0, (), check.dont, "the project has no design tokens")
    looked_at = 0
    found: list[Finding] = []
    for file in frontend.files:
        if check.looks_at == "lines":
            looked_at += len(file.changed.added)
            places = _lines(check, file)
        elif check.looks_at == "elements":
            looked_at += sum(bool(file.first_new(each.lines)) for each in file.page.elements)
            places = ELEMENTS[name](file)
        else:
            looked_at += sum(each.line in file.changed.added_numbers for each in file.styles)
            places = STYLES[name](file, frontend)
        lines = dict.fromkeys(filter(None, (file.first_new(place) for place in places)))
        found += [_finding(name, check, file.changed, line) for line in lines]
    return Answered(name, looked_at, tuple(found[:MOST]), check.dont)


def _finding(name: str, check: DeliveryCheck, file: ChangedFile, line: int) -> Finding:
    return Finding(
        check=check.dimension,
        severity=check.severity,
        rule=name,
        text=check.text,
        path=file.path,
        line=line,
        quote=one_line(file.line(line).strip(), QUOTED),
        fix=check.do,
    )


def _lines(check: DeliveryCheck, file: SourceFile) -> Iterator[Collection[int]]:
    assert check.pattern is not None
    for number, line in file.changed.added:
        if len(line) <= LONGEST and check.pattern.search(line):
            yield (number,)


# elements


def _image_alt(file: SourceFile) -> Iterator[Collection[int]]:
    for each in file.page.elements:
        is_image = (
            each.tag == "img"
            or (each.tag == "area" and "href" in each.attributes)
            or (each.tag == "input" and each.attributes.get("type") == "image")
        )
        silent = each.attributes.get("role") in ("presentation", "none")
        hidden = each.attributes.get("aria-hidden") == "true"
        told = "alt" in each.attributes or each.says("aria-label", "aria-labelledby")
        if is_image and not (told or silent or hidden or each.is_open):
            yield each.lines


def _control_label(file: SourceFile) -> Iterator[Collection[int]]:
    for each in file.page.elements:
        if each.tag not in ("input", "select", "textarea") or each.is_open:
            continue
        if each.attributes.get("type", "text") in _UNLABELLED or each.in_label:
            continue
        id = each.attributes.get("id", "")
        named = each.says(*NAMED_BY) or (id in file.labelled if id else id is None and file.has_open_labels)
        if not named:
            yield each.lines


def _keyboard_reach(file: SourceFile) -> Iterator[Collection[int]]:
    keys = ("onkeydown", "onkeyup", "onkeypress")
    for each in file.page.elements:
        if each.tag in _PLAIN and "onclick" in each.attributes and not each.is_open:
            reached = "tabindex" in each.attributes and each.says("role")
            if not (reached and any(name in each.attributes for name in keys)):
                yield each.lines


def _page_language(file: SourceFile) -> Iterator[Collection[int]]:
    for each in file.page.elements:
        if each.tag == "html" and not each.says("lang", "xml:lang") and not each.is_open:
            yield each.lines


def _viewport(file: SourceFile) -> Iterator[Collection[int]]:
    elements = file.page.elements
    metas = [each for each in elements if each.tag == "meta" and each.attributes.get("name") == "viewport"]
    whole = next((each for each in elements if each.tag == "html"), None)
    if whole is not None and not metas and file.suffix in ("html", "htm"):
        yield whole.lines
    for each in metas:
        if not _can_zoom(each.attributes.get("content") or ""):
            yield each.lines


def _can_zoom(content: str) -> bool:
    pairs = (part.partition("=") for part in re.split(r"[,;]", content.lower()))
    given = {name.strip(): value.strip() for name, _, value in pairs}
    if given.get("user-scalable") in ("no", "0"):
        return False
    try:
        return float(given.get("maximum-scale", "10")) >= SMALLEST_ZOOM
    except ValueError:
        return True  # browsers pass over what is no number


def _list_key(file: SourceFile) -> Iterator[Collection[int]]:
    for each in file.page.elements:
        if each.is_repeated and "key" not in each.attributes and not each.is_open:
            yield each.lines


def _inline_style(file: SourceFile) -> Iterator[Collection[int]]:
    for each in file.page.elements:
        if each.attributes.get("style"):
            yield each.lines


ELEMENTS: Mapping[str, Callable[[SourceFile], Iterator[Collection[int]]]] = {
    "image_alt": _image_alt,
    "control_label": _control_label,
    "keyboard_reach": _keyboard_reach,
    "page_language": _page_language,
    "viewport": _viewport,
    "list_key": _list_key,
    "inline_style": _inline_style,
}


# styles


def _focus_visible(file: SourceFile, frontend: Frontend) -> Iterator[Collection[int]]:
    shown = any(
        ":focus" in each.selector
        and each.name.startswith(("outline", "box-shadow", "border", "background", "text-decoration"))
        and each.value.lower() not in _NOTHING
        for each in file.styles
    )
    for each in file.styles:
        removed = (
            each.name in ("outline", "outline-width", "outline-style") and each.value.lower() in _NOTHING
        )
        if removed and not shown and ":not(:focus-visible)" not in each.selector:
            yield (each.line,)


def _touch_target(file: SourceFile, frontend: Frontend) -> Iterator[Collection[int]]:
    names = ("width", "height", "max-width", "max-height")
    for each in file.styles:
        size = _PIXELS.match(each.value.lower()) if each.name in names else None
        if size is not None and float(size[1]) < TARGET and _CONTROL.search(each.selector):
            yield (each.line,)


def _reduced_motion(file: SourceFile, frontend: Frontend) -> Iterator[Collection[int]]:
    for each in file.styles:
        moves = (each.name in ("animation", "animation-name") and each.value.lower() not in _NOTHING) or (
            each.name in ("transition", "transition-property") and bool(_MOVES.search(each.value))
        )
        if moves and not frontend.is_calm:
            yield (each.line,)


def _token_colour(file: SourceFile, frontend: Frontend) -> Iterator[Collection[int]]:
    for each in file.styles:
        if _COLOURED.search(each.name) and not each.name.startswith("--") and has_colour(each.value):
            yield (each.line,)


def has_colour(value: str) -> bool:
    """Whether a value writes a colour out, by its name, its digits or a function."""
    for word in _WORD.findall(re.sub(r"var\([^()]*\)|url\([^)]*\)", "", value)):
        if word.lower() not in _NO_COLOURS and tinycss2.color4.parse_color(word) is not None:
            return True
    return False


def _unknown_token(file: SourceFile, frontend: Frontend) -> Iterator[Collection[int]]:
    known = {*frontend.tokens, *frontend.defined, *(each.name for each in file.styles)}
    for each in file.styles:
        used = _VARIABLE.findall(each.value)
        if any(name not in known and not fallback for name, fallback in used):
            yield (each.line,)


STYLES: Mapping[str, Callable[[SourceFile, Frontend], Iterator[Collection[int]]]] = {
    "focus_visible": _focus_visible,
    "touch_target": _touch_target,
    "reduced_motion": _reduced_motion,
    "token_colour": _token_colour,
    "unknown_token": _unknown_token,
}


def element_at(file: SourceFile, html: str) -> Element | None:
    """The element of a source file that a browser shows as `html`, where it is the only one like it."""
    opening = read_page("html", html[:LONGEST]).elements[:1]
    if not opening:
        return None
    wanted = opening[0]
    for names in (
        wanted.attributes.keys(),
        wanted.attributes.keys() & {"id", "name", "src", "href", "class"},
    ):
        like = [
            each
            for each in file.page.elements
            if each.tag == wanted.tag
            and all(each.attributes.get(name) == wanted.attributes[name] for name in names)
        ]
        if len(like) == 1:
            return like[0]
    return None
