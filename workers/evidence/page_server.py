"""How the pages of a tree are shown to a browser: as files, or by the project's own server."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

from orchestrator.domain.dataclass import dataclass, field
from orchestrator.domain.patterns import expression
from workers.evidence.suite_runs import TestBench

MOST_PAGES = 6
PORT = "4173"  # that a server is asked to listen on; where it listens is looked up
SCRIPTS = ("preview", "dev", "start", "serve")  # of package.json, the first that is there
NONE_THERE = "none of the pages was there"
NO_PAGE = "there is no page to open: no HTML file, no setting `work.serve`, no script preview or dev in package.json"
NOT_THERE = (NONE_THERE, NO_PAGE)  # why nothing is served of a tree that lacks every page
_PAGE = expression(r"\.html?$")
_TEMPLATE = expression(r"\{\{|\{%|<%|<\?php")
_APART = expression(r"(?:^|/)(?:node_modules|dist|build|coverage|vendor|\.[^/]+)/")
_HEAD = 4_000  # characters of a page that are read


@dataclass(frozen=True, slots=True)
class Served:
    """Pages below `folder`, as files or by the command `argv`."""

    folder: Path
    pages: tuple[str, ...]
    argv: tuple[str, ...] = ()
    env: Mapping[str, str] = field(default_factory=dict)


def served_by(
    bench: TestBench, tree: str, changed: Collection[str], only: Sequence[str] | None = None
) -> Served | str:
    """How the tree's pages are served, the changed ones first (`only`: those that are there); or why nothing is served.

    By the setting `work.serve`, else as the files that they are, else by a script of package.json.
    """
    settings = bench.settings
    chosen = tuple(page.lstrip("/") for page in settings.pages)
    if not settings.serve:
        folder = bench.verify.put(tree)
        if only is not None and any(_PAGE.search(page) for page in only):
            there = tuple(page for page in only if (folder / page).is_file())
            return Served(folder, there) if there else NONE_THERE
        pages = chosen or static_pages(folder, changed)
        if pages:
            return Served(folder, pages[:MOST_PAGES])
    argv = tuple(settings.serve) or _script(bench.verify.put(tree), bench.environ.get("PATH", ""))
    if not argv:
        return NO_PAGE
    folder, fault = bench.prepared(tree)
    if fault:
        return fault
    env = {**bench.environment(), "PORT": PORT, "HOST": "127.0.0.1", "BROWSER": "none"}
    return Served(folder, (chosen or ("",))[:MOST_PAGES], argv, env)


def static_pages(folder: Path, changed: Collection[str]) -> tuple[str, ...]:
    """Whole pages among the HTML files, by path: those that changed or load what changed, then the others."""
    found: list[tuple[int, str]] = []
    names = {path.rpartition("/")[2] for path in changed if not _PAGE.search(path)}
    for file in sorted(folder.rglob("*.htm*")):
        path = file.relative_to(folder).as_posix()
        if _APART.search(path) or not _PAGE.search(path) or file.is_symlink() or not file.is_file():
            continue
        with file.open(encoding="utf-8", errors="replace") as opened:
            text = opened.read(_HEAD)
        if "<html" not in text.lower() and "<!doctype" not in text.lower():
            continue
        if _TEMPLATE.search(text) or _needs_a_bundler(text):
            continue
        touched = path in changed or any(name in text for name in names)
        found.append((0 if touched else 1, path))
    return tuple(path for _, path in sorted(found))


def _needs_a_bundler(text: str) -> bool:
    """Whether the page loads sources that no browser understands."""
    return bool(re.search(r"<script[^>]+src=[\"'][^\"']+\.(?:jsx|tsx?|vue|svelte)[\"']", text))


def _script(folder: Path, path: str) -> tuple[str, ...]:
    """The script of package.json that serves the project."""
    file = folder / "package.json"
    if file.is_symlink() or not file.is_file() or not shutil.which("npm", path=path):
        return ()
    try:
        scripts = json.loads(file.read_text(encoding="utf-8")).get("scripts")
    except (ValueError, AttributeError):
        return ()
    name = next((name for name in SCRIPTS if isinstance(scripts, dict) and scripts.get(name)), None)
    return () if name is None else ("npm", "run", name)
