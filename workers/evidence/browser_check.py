"""What a real browser finds in the pages of a change, compared with those of its base, with pictures of both.

Chromium is the system's, driven by Playwright (the extra `browser`), in the sandbox of tests: without a network but its own
loopback port. Where something of that is missing the reason is told, and the audit goes by rules.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from orchestrator import failpoints
from orchestrator.domain.evidence import CRITICAL, HIGH, LOW, MEDIUM, Finding
from orchestrator.domain.frontend_audit import ACCESSIBILITY, DELIVERY, EXPERIENCE
from orchestrator.domain.inert import one_line
from orchestrator.domain.json_types import Json, JsonObject
from workers.agents.protocol import Timeouts
from workers.evidence.browsers import FIX, axe_script, find_chromium, why_no_browser
from workers.evidence.frontend_rules import QUOTED, Frontend, SourceFile, element_at
from workers.evidence.page_server import Served, served_by
from workers.evidence.sandbox import hidden_places, run_confined, test_environment, tools_below_tmp
from workers.evidence.suite_runs import TestBench

VISIT = Path(__file__).with_name("browser_visit.py")
SECONDS = 240.0  # for all pages of one tree
MEMORY_BYTES = 3 * 1024**3
TMP = "/tmp"  # noqa: S108 - the sandbox's own: a socket that Chromium makes there needs a short path
SCREENS = "qa/screens/"
LARGEST_SCREEN = 8 * 1024**2
SAID = 300  # characters of what went wrong
_SEVERITY = {"critical": CRITICAL, "serious": HIGH, "moderate": MEDIUM, "minor": LOW}


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

    def as_json(self) -> JsonObject:
        return {
            "why_not": self.why_not or None,
            "version": self.version or None,
            "pages": list(self.pages),
            "found": len(self.findings),
            "before": self.before,
            "notes": list(self.notes),
            "screens": sorted(self.screens),
        }

    def pairs(self) -> list[JsonObject]:
        """The pictures after the change, each with the one before it where there is one."""
        found: list[JsonObject] = []
        for after in sorted(name for name in self.screens if name.endswith("-after.png")):
            before = after.removesuffix("-after.png") + "-before.png"
            found.append({"after": after, "before": before if before in self.screens else None})
        return found


@dataclass(frozen=True, slots=True)
class Seen:
    """What was seen of one tree."""

    why_not: str = ""
    version: str = ""
    pages: Mapping[str, Mapping[str, Json]] = field(default_factory=dict)
    folder: Path | None = None  # of the pictures


def browse(bench: TestBench, frontend: Frontend, base: str, head: str, name: str) -> Browsed:
    """What the pages of the tree `head` show that those of `base` do not. Raises LeaseLost, RunReleased, GitError.

    `name`: of the folder of the pictures.
    """
    missing = why_no_browser(bench.environ)
    if missing is not None:
        return Browsed(f"{missing}; {FIX}")
    changed = [file.changed.path for file in frontend.files]
    after = _seen(bench, head, changed)
    bench.context.check()
    if after.why_not:
        return Browsed(after.why_not)
    screens = _screens(after, SCREENS + name, "after")
    failpoints.hit("browser.seen")
    before = _seen(bench, base, changed)
    bench.context.check()
    screens |= _screens(before, SCREENS + name, "before")
    old = {key for path, page in before.pages.items() for key in _keys(path, page)}
    found, known = _findings(after, frontend, old)
    notes = [
        f"{path}: {one_line(str(page['why_not']), SAID)}"
        for path, page in after.pages.items()
        if page["why_not"]
    ]
    notes += [
        f"{path} loads from elsewhere, which was not loaded: {one_line(', '.join(map(str, page['outside'])), SAID)}"
        for path, page in after.pages.items()
        if page.get("outside")
    ]
    if before.why_not:
        notes.append(f"the base could not be seen: {before.why_not}")
    seen = tuple(path for path, page in after.pages.items() if not page["why_not"])
    if not seen:
        return Browsed(f"no page could be opened: {'; '.join(notes)[:SAID]}")
    return Browsed("", after.version, seen, tuple(found), known, tuple(notes), screens)


def _seen(bench: TestBench, tree: str, changed: Collection[str]) -> Seen:
    """One tree's pages in the browser."""
    served = served_by(bench, tree, changed)
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
    told = json.loads((out / "seen.json").read_text(encoding="utf-8"))
    return Seen("", str(told["browser"]), {str(page["page"]): page for page in told["pages"]}, out)


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


def _keys(path: str, page: Mapping[str, Json]) -> set[tuple[str, str, str]]:
    """What tells the faults of a page from each other, however often it is looked at."""
    found = {
        (path, str(rule["id"]), str(node["html"]))
        for rule in page.get("violations", ())
        for node in rule["nodes"]
    }
    for kind in ("errors", "missing"):
        found |= {(path, kind, str(text)) for text in page.get(kind, ())}
    return found | ({(path, "sideways", "")} if page.get("sideways") else set())


def _findings(
    after: Seen, frontend: Frontend, old: Collection[tuple[str, str, str]]
) -> tuple[list[Finding], int]:
    """The faults that are new, and how many the base has as well."""
    files = {file.changed.path: file for file in frontend.files}
    found: list[Finding] = []
    known = 0
    for path, page in after.pages.items():
        keys = _keys(path, page)
        known += len(keys & set(old))
        source = files.get(path)
        for rule in page.get("violations", ()):
            for node in rule["nodes"]:
                if (path, str(rule["id"]), str(node["html"])) not in old:
                    found.append(_violation(path, rule, node, source))
        new = {kind: sorted(text for _, which, text in keys - set(old) if which == kind) for kind in _OTHERS}
        for kind, texts in new.items():
            check, severity, words, fix = _OTHERS[kind]
            found += [
                Finding(check, severity, kind, f"{words}{one_line(text, SAID)}", path, fix=fix)
                for text in texts
            ]
    return found, known


_OTHERS = {
    "errors": (DELIVERY, HIGH, "the page's scripts fail in a browser: ", "mend the script"),
    "missing": (DELIVERY, MEDIUM, "the page loads what is not there: ", "add the file, or mend the address"),
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
