"""The templates that packs bring for documents: files in `templates/` beside the pack that names them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from orchestrator.config import resources
from orchestrator.domain.graph import Fault, Place
from orchestrator.domain.json_types import Json
from orchestrator.domain.patterns import expression

FILTERS = (
    "cell",
    "cited",
    "heading",
    "paragraphs",
    "yaml",
    "code",
    "quote",
)  # those that pages have besides Jinja's own
SIZE_LIMIT = 256 * 1024  # bytes
Origins = dict[Place, tuple[Path, int]]
_NAME = expression(r"[A-Za-z0-9][\w.-]{0,99}\.j2", re.ASCII)


def read(data: Mapping[str, Json], origins: Origins) -> tuple[dict[str, str], list[Fault]]:
    """The text of each template that a pack names, by kind of document; and what is wrong with them.

    A place without an origin is the shipped pack's.
    """
    texts: dict[str, str] = {}
    faults: list[Fault] = []
    documents = data.get("documents")
    shipped = resources() / "config"
    for kind, given in documents.items() if isinstance(documents, Mapping) else ():
        name = given.get("template") if isinstance(given, Mapping) else None
        if not isinstance(name, str):
            continue  # none, or a fault of form
        place: Place = ("documents", str(kind), "template")
        folder = (origins[place][0].parent if place in origins else shipped) / "templates"
        try:
            if not _NAME.fullmatch(name):
                raise ValueError("is no name of a template; it is a file that ends in .j2")
            if (shipped / "templates" / name).is_file() and not (folder / name).is_file():
                continue
            texts[str(kind)] = _text(folder / name)
        except RecursionError:
            faults.append(Fault(place, f"templates/{name}: is nested too deeply"))
        except (OSError, ValueError) as error:
            faults.append(Fault(place, f"templates/{name}: {getattr(error, 'strerror', None) or error}"))
    return texts, faults


def _text(file: Path) -> str:
    """Raises OSError, or ValueError for what is no template; it may include the shipped ones alone."""
    from jinja2 import TemplateSyntaxError, meta, nodes, pass_context
    from jinja2.sandbox import ImmutableSandboxedEnvironment

    if not file.exists():
        raise ValueError("there is no such file")
    if not file.is_file() or file.stat().st_size > SIZE_LIMIT:
        raise ValueError(f"is no regular file of at most {SIZE_LIMIT // 1024} KiB")
    text = file.read_bytes().decode("utf-8")
    # Nothing is computed here: a template may hold what never ends. A `finalize` with the context is never constant.
    environment = ImmutableSandboxedEnvironment(
        optimized=False, finalize=pass_context(lambda context, value: value)
    )
    environment.filters.update(dict.fromkeys(FILTERS, str))
    try:
        parsed = environment.parse(text)
        included = meta.find_referenced_templates(parsed)
        environment.compile(text)
    except TemplateSyntaxError as error:
        raise ValueError(f"line {error.lineno}: {error.message}") from error
    for used, defined in ((nodes.Filter, environment.filters), (nodes.Test, environment.tests)):
        for node in parsed.find_all(used):  # below an `if`, compiling leaves them for the run
            if node.name not in defined:
                raise ValueError(f"line {node.lineno}: No {used.__name__.lower()} named {node.name!r}")
    known = {each.name for each in (resources() / "config" / "templates").iterdir()}
    if strange := [str(each) for each in included if each not in known]:
        raise ValueError(f"includes {', '.join(strange)}, which is not shipped")
    return text
