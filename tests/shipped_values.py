"""What the shipped YAML files say, as JSON, and what Jinja makes of the shipped templates. `make shipped` writes both."""

from __future__ import annotations

import json
from collections.abc import Mapping
from hashlib import sha1
from pathlib import Path

import jinja2
from jinja2 import Environment

from orchestrator.config import compiled_templates, resources, shipped_yaml, strict_yaml
from workers.agents import prompts
from workers.documents import page


def sources() -> list[Path]:
    """The YAML files that processes read: those below `deploy` are for other programs."""
    folder = resources() / "config"
    return sorted(file for file in folder.rglob("*.yaml") if file.relative_to(folder).parts[0] != "deploy")


def written() -> Mapping[Path, str]:
    """Each file and its text, as the YAML files are now."""
    found: dict[Path, str] = {}
    for source in sources():
        values, _, faults = strict_yaml.read(source)
        made = shipped_yaml.made_of(source)
        assert made is not None and not faults, faults
        content = {"checksum": shipped_yaml.checksum(source), "values": values}
        found[made] = json.dumps(content, ensure_ascii=False, indent=1) + "\n"
    return (
        found
        | compiled("templates", page.environment((), trusted=True))
        | compiled("prompts", prompts.environment())
    )


def templates(folder: str) -> list[Path]:
    return sorted((resources() / "config" / folder).glob("*.j2"))


def compiled(folder: str, environment: Environment) -> Mapping[Path, str]:
    """The Python of each template of a folder, and their index."""
    made = compiled_templates.made_of(folder)
    texts = {file.name: file.read_text(encoding="utf-8") for file in templates(folder)}
    index = {"jinja2": jinja2.__version__}
    index |= {name: sha1(text.encode(), usedforsecurity=False).hexdigest() for name, text in texts.items()}
    code = {
        made / compiled_templates.module_of(name): environment.compile(text, name, raw=True) + "\n"
        for name, text in texts.items()
    }
    return {made / compiled_templates.INDEX: json.dumps(index, indent=1) + "\n", **code}


def lying() -> Mapping[Path, str]:
    """The files there are, with their texts."""
    folder = resources() / "config" / "shipped"
    return {
        file: file.read_text(encoding="utf-8")
        for file in sorted(folder.rglob("*.*"))
        if file.suffix in (".json", ".py")
    }


if __name__ == "__main__":
    for file in lying().keys() - written().keys():
        file.unlink()
    for file, text in written().items():
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
