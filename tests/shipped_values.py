"""What the shipped YAML files say, as JSON. `make shipped` writes the files that processes read."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from orchestrator.config import resources, shipped_yaml, strict_yaml


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
    return found


def lying() -> Mapping[Path, str]:
    """The files there are, with their texts."""
    folder = resources() / "config" / "shipped"
    return {file: file.read_text(encoding="utf-8") for file in sorted(folder.rglob("*.json"))}


if __name__ == "__main__":
    for file in lying().keys() - written().keys():
        file.unlink()
    for file, text in written().items():
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
