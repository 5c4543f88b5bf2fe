"""What a real browser finds in the pages of a change, compared with those of its base, with pictures of both.

Chromium is the system's, driven by Playwright (the extra `browser`), in the sandbox of tests: without a network but its own
loopback port. Where something of that is missing the reason is told, and the audit goes by rules.
"""

from __future__ import annotations

import hashlib
import json
import re
import sys
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

from orchestrator import failpoints
from orchestrator.domain.dataclass import dataclass, field
from orchestrator.domain.evidence import CRITICAL, HIGH, LOW, MEDIUM, Finding
from orchestrator.domain.frontend_audit import ACCESSIBILITY, DELIVERY, EXPERIENCE
from orchestrator.domain.inert import one_line
from orchestrator.domain.json_types import Json, JsonObject
from workers.agents.protocol import Timeouts
from workers.evidence.browser_answer import read_answer
from workers.evidence.browsers import axe_script, find_chromium, fix, why_no_browser
from workers.evidence.frontend_rules import QUOTED, Frontend, SourceFile, element_at
from workers.evidence.page_server import MOST_PAGES, NOT_THERE, Served, served_by
from workers.evidence.sandbox import hidden_places, run_confined, test_environment, tools_below_tmp
from workers.evidence.suite_runs import TestBench

VISIT = Path(__file__).with_name("browser_visit.py")
PAGE_SECONDS = 40.0  # for one page, in all widths and themes
SECONDS = 90.0 + MOST_PAGES * PAGE_SECONDS  # for one tree: its server has 60 to begin
MEMORY_BYTES = 3 * 1024**3
TMP = "/tmp"  # noqa: S108 - the sandbox's own: a socket that Chromium makes there needs a short path
SCREENS = "qa/screens/"
LARGEST_SCREEN = LARGEST_ANSWER = 8 * 1024**2
SAID = 300  # characters of what went wrong
MISSING_PAGE = "the server answers 404"
_SEVERITY = {"critical": CRITICAL, "serious": HIGH, "moderate": MEDIUM, "minor": LOW}


@dataclass(frozen=True, slots=True)
class BaseSeen:
    """What a browser saw of the base, as the record of an audit keeps it for the next round."""

    tree: str = ""
    pages: tuple[str, ...] = ()  # that could be opened
    faults: frozenset[str] = frozenset()  # digests of `_keys`
    screens: tuple[str, ...] = ()  # paths below the session's folder
    absent: tuple[str, ...] = ()  # pages of the change that were not there

    def as_json(self) -> JsonObject:
        return {
            "tree": self.tree,
            "pages": list(self.pages),
            "faults": sorted(self.faults),
            "screens": list(self.screens),
            "absent": list(self.absent),
        }

    def tells_of(self, after: Seen) -> bool:
        """Whether it is known of each page that cannot be opened what became of it here, and no page was visited in vain."""
        failed = set(after.pages) - set(after.opened)
        return set(self.pages) <= set(after.pages) and failed <= {*self.pages, *self.absent}

    @classmethod
    def from_json(cls, value: Mapping[str, Json]) -> BaseSeen:
        """What `as_json` gave."""
        return cls(
            str(value["tree"]),
            tuple(value["pages"]),
            frozenset(value["faults"]),
            tuple(value["screens"]),
            tuple(value.get("absent", ())),  # not in records of earlier versions
        )


@dataclass(frozen=True, slots=True)
class Browsed:
    """What a browser saw; `why_not`: why none has looked."""

    why_not: str = ""
    version: str = ""
    pages: tuple[str, ...] = ()
    findings: tuple[Finding, ...] = ()
    before: int = 0  # faults that the base has as well: nobody is charged for them
    notes: tuple[str, ...] = ()
    screens: Mapping[str, bytes] = field(default_factory=dict)  # by path below the session's folder
    base: BaseSeen | None = None

    def as_json(self) -> JsonObject:
        return {
            "why_not": self.why_not or None,
            "version": self.version or None,
            "pages": list(self.pages),
            "found": len(self.findings),
            "before": self.before,
            "notes": list(self.notes),
            "screens": sorted({*self.screens, *(self.base.screens if self.base else ())}),
        }

    def pairs(self) -> list[JsonObject]:
        """The pictures after the change, each with the one before it where there is one."""
        before = {_picture_of(path): path for path in (self.base.screens if self.base else ())}
        after = sorted(path for path in self.screens if path.endswith("-after.png"))
        return [{"after": path, "before": before.get(_picture_of(path))} for path in after]


@dataclass(frozen=True, slots=True)
class Seen:
    """What was seen of one tree."""

    why_not: str = ""
    version: str = ""
    pages: Mapping[str, Mapping[str, Json]] = field(default_factory=dict)
    folder: Path | None = None  # of the pictures

    @property
    def opened(self) -> tuple[str, ...]:
        return tuple(path for path, page in self.pages.items() if not page["why_not"])

    def lacks(self, path: str) -> bool:
        """Whether this page is known not to be there."""
        if self.why_not:
            return self.why_not in NOT_THERE
        return path not in self.pages or self.pages[path]["why_not"] == MISSING_PAGE


def browse(
    bench: TestBench, frontend: Frontend, base: str, head: str, name: str, known: BaseSeen | None
) -> Browsed:
    """What the pages of the tree `head` show that those of `base` do not. Raises LeaseLost, RunReleased, GitError.

    `name`: of the folder of the pictures; `known`: what an earlier round saw of the base.
    """
    missing = why_no_browser(bench.environ)
    if missing is not None:
        return Browsed(f"{missing}; {fix(bench.environ)}")
    changed = [file.changed.path for file in frontend.files]
    after = _seen(bench, head, changed)
    bench.context.check()
    if after.why_not:
        return Browsed(after.why_not)
    failpoints.hit("browser.seen")
    screens = _screens(after, SCREENS + name, "after")
    pages = tuple(after.pages)
    notes: list[str] = []
    if known is None or known.tree != base or not known.tells_of(after):
        seen = _seen(bench, base, changed, pages)
        bench.context.check()
        pictures = _screens(seen, SCREENS + name, "before")
        screens |= pictures
        faults = frozenset(key for path, page in seen.pages.items() for key in _keys(path, page))
        absent = tuple(path for path in pages if seen.lacks(path))
        known = BaseSeen(base, seen.opened, faults, tuple(sorted(pictures)), absent)
        notes += [f"the base could not be seen: {seen.why_not}"] if seen.why_not else []
    found, old = new_findings(after, frontend, known)
    notes += _notes(after)
    if not after.opened and not found:
        return Browsed(f"no page could be opened: {'; '.join(notes)[:SAID]}")
    return Browsed("", after.version, after.opened, tuple(found), old, tuple(notes), screens, known)


def _notes(after: Seen) -> list[str]:
    """The pages that could not be opened, and those that ask for something from elsewhere."""
    found = [
        f"{path}: {one_line(str(page['why_not']), SAID)}"
        for path, page in after.pages.items()
        if page["why_not"]
    ]
    return found + [
        f"{path} loads from elsewhere, which was not loaded: {one_line(', '.join(map(str, page['outside'])), SAID)}"
        for path, page in after.pages.items()
        if page.get("outside")
    ]


def _picture_of(path: str) -> str:
    """What a picture is of: its name without the folder of its round and the time."""
    return re.sub(r"-(?:before|after)\.png$", "", path.rpartition("/")[2])


def _seen(bench: TestBench, tree: str, changed: Collection[str], pages: Sequence[str] | None = None) -> Seen:
    """One tree's pages in the browser; of the base's those that the head has."""
    served = served_by(bench, tree, changed, pages)
    if isinstance(served, str):
        return Seen(served)
    return _visited(bench, served)


def _visited(bench: TestBench, served: Served) -> Seen:
    chromium = find_chromium(bench.environ)
    assert chromium is not None
    scratch = bench.verify.scratch
    out = bench.context.workdir / f"browser-{len(list(bench.context.workdir.glob('browser-*')))}"
    out.mkdir(mode=0o700)
    job = out / "job.json"
    job.write_text(
        json.dumps(
            {
                "chromium": chromium,
                "axe": str(axe_script()),
                "tree": str(served.folder),
                "serve": list(served.argv),
                "pages": list(served.pages),
                "out": str(out),
                "profile": f"{TMP}/profile",
                "page_seconds": PAGE_SECONDS,
            }
        ),
        encoding="utf-8",
    )
    done = run_confined(
        [sys.executable, "-I", str(VISIT), str(job)],
        cwd=served.folder,
        env={**test_environment(bench.environ, served.folder, scratch), **served.env, "TMPDIR": TMP},
        writable=[bench.verify.files, scratch, out],
        folder=bench.context.workdir,
        run=bench.context.row.run,
        timeouts=Timeouts(start=None, silence=None, turn=None, total=SECONDS),
        stop=bench.context.live.stop,
        hidden=hidden_places(bench.environ, bench.context.project),
        readable=[VISIT.parent, Path(sys.prefix), axe_script().parent, *tools_below_tmp(bench.environ)],
        on_guardian=bench.watch,
        memory_bytes=MEMORY_BYTES,
    )
    if done.ended.ended_by == "unconfined":
        return Seen(f"a browser is opened in the sandbox alone, and this machine has none: {done.why}")
    if done.ended.ended_by != "exited" or done.ended.exit != 0:
        said = one_line(f"{done.err.strip()[-SAID:]}", SAID) or done.ended.ended_by
        return Seen(f"the browser ended without an answer: {said}")
    answer = out / "seen.json"
    if answer.is_symlink() or not answer.is_file() or answer.stat().st_size > LARGEST_ANSWER:
        return Seen("the browser ended without an answer: its file was replaced")
    try:
        version, pages = read_answer(answer.read_bytes(), served.pages)
    except ValueError as problem:
        return Seen(f"the browser's answer cannot be used: {one_line(str(problem), SAID)}")
    return Seen("", version, pages, out)


def _screens(seen: Seen, folder: str, when: str) -> dict[str, bytes]:
    """The pictures by the path that they are kept under."""
    found: dict[str, bytes] = {}
    for path, page in seen.pages.items():
        for screen in page.get("screens", ()):
            assert seen.folder is not None
            file = seen.folder / str(screen["file"])
            if file.is_symlink() or not file.is_file() or file.stat().st_size > LARGEST_SCREEN:
                continue
            slug = re.sub(r"[^a-z0-9]+", "-", path.lower().removesuffix(".html")).strip("-")[:60] or "page"
            found[f"{folder}/{slug}-{screen['width']}-{screen['scheme']}-{when}.png"] = file.read_bytes()
    return found


# findings


def _keys(path: str, page: Mapping[str, Json]) -> set[str]:
    """What tells the faults of a page from each other, however often it is looked at."""
    found = {
        _key(path, str(rule["id"]), node) for rule in page.get("violations", ()) for node in rule["nodes"]
    }
    found |= {_key(path, kind, text) for kind in _LISTS for text in page.get(kind, ())}
    return found | ({_key(path, "sideways", "")} if page.get("sideways") else set())


def _key(path: str, kind: str, what: Json) -> str:
    text = what["html"] if isinstance(what, dict) else what
    return hashlib.sha256("\0".join((path, kind, str(text))).encode("utf-8", "replace")).hexdigest()[:16]


def new_findings(after: Seen, frontend: Frontend, known: BaseSeen) -> tuple[list[Finding], int]:
    """The faults that are new, and how many the base has as well."""
    files = {file.changed.path: file for file in frontend.files}
    found: list[Finding] = []
    old = 0
    for path, page in after.pages.items():
        old += len(_keys(path, page) & known.faults)
        for rule in page.get("violations", ()):
            found += [
                _violation(path, rule, node, files.get(path))
                for node in rule["nodes"]
                if _key(path, str(rule["id"]), node) not in known.faults
            ]
        told = {kind: page.get(kind, ()) for kind in _LISTS}
        told["sideways"] = ("",) if page.get("sideways") else ()
        for kind, pages in (("unopened", known.pages), ("never_opened", known.absent)):
            told[kind] = (page["why_not"],) if page["why_not"] and path in pages else ()
        for kind, texts in told.items():
            check, severity, words, fix = _OTHERS[kind]
            found += [
                Finding(check, severity, kind, f"{words}{one_line(str(text), SAID)}", path, fix=fix)
                for text in texts
                if _key(path, kind, text) not in known.faults
            ]
    return found, old


_LISTS = ("errors", "missing")
_OTHERS = {
    "errors": (DELIVERY, HIGH, "the page's scripts fail in a browser: ", "mend the script"),
    "missing": (DELIVERY, MEDIUM, "the page loads what is not there: ", "add the file, or mend the address"),
    "unopened": (DELIVERY, HIGH, "the page cannot be opened any more: ", "let it load"),
    "never_opened": (DELIVERY, HIGH, "the new page cannot be opened: ", "let it load"),
    "sideways": (
        EXPERIENCE,
        MEDIUM,
        "the page is wider than the window, and scrolls sideways",
        "let it fit 375 pixels",
    ),
}


def _violation(
    path: str, rule: Mapping[str, Json], node: Mapping[str, Json], source: SourceFile | None
) -> Finding:
    """A violation of axe-core, with the line of the source where the element is the only one like it."""
    html = str(node["html"])
    element = element_at(source, html) if source is not None else None
    why = one_line(str(node["why"]).partition("\n")[2].strip() or str(rule["help"]), SAID)
    return Finding(
        check=ACCESSIBILITY,
        severity=_SEVERITY.get(str(node.get("impact") or rule.get("impact")), MEDIUM),
        rule=f"axe:{rule['id']}",
        text=f"{one_line(str(rule['help']), SAID)} ({node['where']})",
        path=path,
        line=element.line if element is not None else 0,
        quote=one_line(html, QUOTED),
        fix=why,
    )


def without_repeats(
    browsed: Sequence[Finding], rules: Sequence[Finding], by_axe: Mapping[str, str]
) -> list[Finding]:
    """The browser's findings but those that a rule has found in the same file already."""
    told = {(each.path, each.rule) for each in rules}
    return [
        each for each in browsed if (each.path, by_axe.get(each.rule.removeprefix("axe:"), "")) not in told
    ]
