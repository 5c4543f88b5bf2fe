"""What exploration knows beforehand, from `config/explore.yaml`: angles, languages, names of well-known packages."""

from __future__ import annotations

from fnmatch import fnmatchcase
from functools import cache

from pydantic import BaseModel, ConfigDict

from orchestrator.config import resources, shipped_yaml
from orchestrator.domain.errors import UnknownName


class Angle(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    words: list[str]
    roles: dict[str, float] = {}  # role of a file -> what it adds to its score


class Knowledge(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    angles: dict[str, Angle]
    skip_folders: frozenset[str]
    secret_files: list[str]
    languages: dict[str, str]
    text_extensions: frozenset[str]
    stack: dict[str, list[str]]

    def angle(self, name: str) -> Angle:
        if name not in self.angles:
            raise UnknownName("angle", name, self.angles)
        return self.angles[name]

    def language(self, path: str) -> str | None:
        return self.languages.get(extension(path))

    def secret(self, path: str) -> bool:
        name = path.rpartition("/")[2].lower()
        example = name.endswith((".example", ".sample", ".template"))
        return not example and any(fnmatchcase(name, pattern) for pattern in self.secret_files)

    def layer(self, package: str) -> str | None:
        return _layers().get(package.lower())


def extension(path: str) -> str:
    name = path.rpartition("/")[2]
    return name.rpartition(".")[2].lower() if "." in name[1:] else ""


@cache
def knowledge() -> Knowledge:
    return Knowledge.model_validate(shipped_yaml.read(resources() / "config" / "explore.yaml"))


@cache
def _layers() -> dict[str, str]:
    return {name: layer for layer, names in knowledge().stack.items() for name in names}
