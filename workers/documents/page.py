"""One printed page: the templates, the labels of its language, and links relative to where it lies."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path

import regex
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from jinja2.sandbox import ImmutableSandboxedEnvironment

from orchestrator.config.compiled_templates import CompiledTemplates
from orchestrator.domain.documents import Section
from orchestrator.domain.json_types import Json
from workers.documents import escape
from workers.documents.bounded import bounded
from workers.documents.content import Content, Story
from workers.documents.escape import Safe, inline
from workers.documents.labels import Labels, labels, shipped

EMPTY = "<!-- empty -->"


class Printer:
    """Prints pages in one language; `paths` says where each identifier is found, `sections` are those a pack declares."""

    def __init__(
        self,
        language: str,
        folders: tuple[Path, ...] = (),
        paths: Mapping[str, str] | None = None,
        sections: Mapping[str, Section] | None = None,
    ) -> None:
        self.labels: Labels = labels(language, folders)
        self.folders = folders
        self.paths = paths or {}
        self.sections = sections or {}
        self.here = ""

    def page(
        self, path: str, template: str, front: Mapping[str, Json], *, source: str = "", **values: object
    ) -> bytes:
        """The file for `path`. Raises a jinja2.TemplateError for a template that cannot be printed, or does not end.

        `source`: the template's text, where it is no shipped file.
        """
        self.here = path
        given = dict(
            frontmatter=_frontmatter(front),
            written_by=self.text("by", agent=front["author"], task=front["task"], version=front["version"]),
            t=self.text,
            section=self.section,
            nothing=self.nothing,
            ref=self.ref,
            refs=self.refs,
            listed=self.listed,
            named=self.named,
            mark=self.mark,
            story_line=self.story_line,
            file_link=self.file_link,
            **values,
        )
        if source:  # a pack's own: it may loop without end; `overlay`: no cache that another thread holds
            sandbox = environment(self.folders, trusted=False).overlay()
            text = bounded(lambda: sandbox.from_string(source).render(given))
        else:
            text = environment(self.folders, trusted=not self.folders).get_template(template).render(given)
        lines = regex.sub(r"[ \t]+$|^ (?=\S)", "", text, flags=regex.MULTILINE)
        return (regex.sub(r"\n{3,}", "\n\n", lines).strip() + "\n").encode("utf-8")

    def text(self, key: str, **values: object) -> Safe:
        """A phrase of the labels with values in its places."""
        phrase = self.labels.words.get(key) or self.labels.sections[key]
        return Safe(
            phrase.format(**{name: inline(value) for name, value in values.items()}) if values else phrase
        )

    def section(self, key: str, level: int = 2) -> Safe:
        """A section's heading behind the marker that says which section it is, in any language."""
        own = self.sections.get(key)
        title = escape.heading(own.title) if own else self.labels.sections[key]
        return Safe(f"<!-- section: {key} -->\n{'#' * level} {title}")

    def nothing(self, key: str) -> Safe:
        """An empty section says so, with the question that would fill it."""
        gap = "" if self.labels.empty_note.endswith("：") else " "
        own = self.sections.get(key)
        question = inline(own.question or f"{own.title}?") if own else self.labels.empty[key]
        return Safe(f"{EMPTY}\n\n{self.labels.empty_note}{gap}{question}")

    def ref(self, identifier: str) -> Safe:
        """An identifier as a link to where it is defined."""
        target = self.paths.get(identifier)
        return Safe(f"[{inline(identifier)}]({self._relative(target)})") if target else inline(identifier)

    def refs(self, identifiers: Iterable[str]) -> Safe:
        return Safe(", ".join(self.ref(name) for name in identifiers) or "–")

    def listed(self, entries: Iterable[object], *, ours: bool = False) -> Safe:
        """Entries in a row; names of ours in the page's language."""
        texts = [self.named(str(entry)) if ours else entry for entry in entries]
        return Safe((", " if self.labels.language == "en" else "、").join(inline(text) for text in texts))

    def named(self, value: str) -> str:
        """A name or value of ours in the page's language; one that the labels do not have stays as it is."""
        return self.labels.values.get(value, value)

    def file_link(self, path: str) -> Safe:
        """A file of the session directory as a link, where its path is as plain as ours are."""
        plain = regex.fullmatch(r"(?:[\p{L}\p{N}_-]+/)+[\p{L}\p{N}_.-]+\.(?:md|json|png)", path)
        return Safe(f"[{inline(path)}]({self._relative(path)})") if plain else inline(path)

    def mark(self, item: Content) -> Safe:
        """Says that a statement is not the user's: proposed with its reason, or found in the repository."""
        source, reason = getattr(item, "source", "stated"), getattr(item, "reason", "")
        if source == "repository":
            return Safe(f" *({self.text('from_repository')})*")
        if source != "proposed":
            return Safe("")
        phrase = (
            self.text("proposed_because", reason=reason) if inline(reason) else self.text("proposed_plain")
        )
        return Safe(f" *({phrase})*")

    def story_line(self, story: Story) -> Safe:
        parts = {name: clause(getattr(story, name)) for name in ("as_a", "i_want", "so_that")}
        if self.labels.language == "en":
            parts["as_a"] = with_article(parts["as_a"])
        return self.text("user_story" if parts["so_that"] else "user_story_short", **parts)

    def _relative(self, target: str) -> str:
        path, mark, anchor = target.partition("#")
        return (
            posixpath.relpath(path, posixpath.dirname(self.here) or ".") + mark + anchor
            if path != self.here
            else mark + anchor
        )


def with_article(role: str) -> str:
    if regex.match(r"(?:an?|the|any|every)\s", role, regex.IGNORECASE):
        return role[:1].lower() + role[1:]
    return f"{'an' if regex.match('[aeio]', role, regex.IGNORECASE) else 'a'} {role}"


def clause(text: str) -> str:
    """Part of a sentence: the phrase around it has the full stop."""
    return text.rstrip(" .。!！;；,，")


def _frontmatter(front: Mapping[str, Json]) -> Safe:
    return Safe("\n".join(["---", *(f"{key}: {escape.yaml(value)}" for key, value in front.items()), "---"]))


@cache
def environment(folders: tuple[Path, ...], *, trusted: bool) -> Environment:
    """`trusted`: only what is shipped is printed; the sandbox looks at each attribute and each call of a template."""
    places = [*(folder / "templates" for folder in folders), shipped() / "templates"]
    made = (Environment if trusted else ImmutableSandboxedEnvironment)(
        loader=FileSystemLoader(places),
        undefined=StrictUndefined,
        autoescape=False,  # Markdown, not HTML: `finish` escapes every output
        finalize=escape.finish,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        bytecode_cache=CompiledTemplates("templates") if trusted else None,  # the sandbox has code of its own
    )
    made.filters.update(
        cell=escape.cell,
        heading=escape.heading,
        paragraphs=escape.paragraphs,
        yaml=escape.yaml,
        code=escape.code,
        quote=escape.quote,
        cited=escape.cited,
    )
    return made
