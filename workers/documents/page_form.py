"""What is wrong with the form of a page: its frontmatter, headings, raw HTML, links that lead nowhere."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from workers.documents.reader import Link, Page, read

REQUIRED_FRONT = ("session_id", "phase", "document_type", "status", "generated_at", "version", "dependencies")


def validate(files: Mapping[str, bytes], all_paths: Collection[str]) -> list[str]:
    """Faults of form in Markdown files; `all_paths` are all files of the session directory, these included."""
    pages = {path: read(path, data) for path, data in files.items() if path.endswith(".md")}
    known = set(all_paths) | set(files)
    return [f"{path}: {fault}" for path, page in pages.items() for fault in faults_of(page, pages, known)]


def faults_of(page: Page, pages: Mapping[str, Page], known: Collection[str]) -> list[str]:
    """What is wrong with the form of one page."""
    faults = list(page.faults)
    if page.frontmatter is None:
        faults.append("no frontmatter")
    else:
        faults += [f"frontmatter lacks {key}" for key in REQUIRED_FRONT if key not in page.frontmatter]
    tops = sum(heading.level == 1 for heading in page.headings)
    if tops != 1:
        faults.append(f"{tops} headings of level 1, not one")
    for before, after in zip(page.headings, page.headings[1:], strict=False):
        if after.level > before.level + 1:
            faults.append(
                f"line {after.line}: a heading of level {after.level} below one of level {before.level}"
            )
    faults += [f"raw HTML: {tag[:60]}" for tag in page.html]
    faults += [f"link to {link.target[:120]} leads nowhere" for link in broken_links(page, pages, known)]
    return faults


def broken_links(page: Page, pages: Mapping[str, Page], known: Collection[str]) -> list[Link]:
    """The relative links of a page that do not resolve; an anchor counts where the page meant was read too."""
    broken = []
    for link in page.links:
        if link.path is None:
            continue
        target = page if link.path == page.path else pages.get(link.path)
        missing = link.path not in known and target is None
        if missing or (link.anchor and target is not None and link.anchor not in target.anchors()):
            broken.append(link)
    return broken
