"""Packs in their files: the shipped one, and those that extend it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from pathlib import Path

from orchestrator.config import pack_templates, shipped_yaml
from orchestrator.config.pack_templates import Origins
from orchestrator.config.references import Names
from orchestrator.domain.dataclass import dataclass
from orchestrator.domain.errors import ConfigError
from orchestrator.domain.graph import Fault, Place
from orchestrator.domain.json_types import Json, JsonObject
from orchestrator.domain.packs import read_pack
from orchestrator.domain.pipelines import Pack
from orchestrator.domain.workable import agent_faults, work_faults

SHIPPED = ("pipelines", "documents", "roles", "perspectives", "gates", "modes", "analysis", "dynamic")
WHOLE = ("pipelines",)  # sections whose entries are replaced as a whole; elsewhere single keys are


@dataclass(frozen=True, slots=True)
class PackFiles:
    """What the files say together, not checked yet."""

    data: Mapping[str, Json]
    origins: Origins  # of what packs bring; a place that has none is the shipped one's
    faults: Sequence[str]  # of files that cannot be read
    shipped: Path

    @property
    def names(self) -> Names | None:
        """The roles and perspectives; None when a file could not be read and may know more."""
        if self.faults:
            return None
        roles, perspectives = (self.data.get(section) for section in ("roles", "perspectives"))
        return Names(
            frozenset(roles if isinstance(roles, Mapping) else ()),
            frozenset(perspectives if isinstance(perspectives, Mapping) else ()),
        )

    def pack(self) -> Pack:
        """The pack as far as its form goes, or a ConfigError with every fault of every file."""
        return self._read(lambda pack, found: [])

    def checked(self, agents: Collection[str] | None) -> Pack:
        """The pack, when everything in it can be done by one of the agents. Raises ConfigError.

        `agents` of None: they are not known, because the settings cannot be read.
        """

        def more(pack: Pack, found: Sequence[Fault]) -> list[Fault]:
            of_agents = agent_faults(self.data, agents) if agents is not None else []
            return [*work_faults(self.data, pack, found), *of_agents]

        return self._read(more)

    def _read(self, more: Callable[[Pack, Sequence[Fault]], list[Fault]]) -> Pack:
        faults = list(self.faults)
        if not faults:
            templates, missing = pack_templates.read(self.data, self.origins)
            pack, found = read_pack(self.data, templates)
            found += missing
            found += more(pack, found)
            if not found:
                return pack
            origins = {**_shipped_origins(self.shipped), **self.origins}
            faults = [f"{_where(origins, fault.place)}: {fault}" for fault in found]
        raise ConfigError(dict.fromkeys(faults))


def read(shipped: Path, folders: Sequence[Path]) -> PackFiles:
    """The shipped pack with the files of `folders` over it, later ones last."""
    data: JsonObject = {}
    origins: Origins = {}
    faults: list[str] = []
    for path in _shipped(shipped):
        try:
            data |= shipped_yaml.read(path)
        except ConfigError as error:
            faults += error.faults
    for path in _files(folders, faults):
        faults += _add(data, origins, path)
    return PackFiles(data, origins, faults, shipped)


def _shipped(folder: Path) -> list[Path]:
    return [folder / f"{name}.yaml" for name in SHIPPED]


def _shipped_origins(folder: Path) -> Origins:
    """The lines of the shipped files, which only a fault asks for."""
    from orchestrator.config import strict_yaml

    return {
        place: (path, line) for path in _shipped(folder) for place, line in strict_yaml.read(path)[1].items()
    }


def _files(folders: Iterable[Path], faults: list[str]) -> list[Path]:
    files: list[Path] = []
    for folder in folders:
        try:
            names = sorted(entry for entry in folder.iterdir() if entry.suffix in (".yaml", ".yml"))
        except (FileNotFoundError, NotADirectoryError):
            continue  # no such folder, no packs
        except OSError as error:
            faults.append(f"{folder}: {error.strerror}")
            continue
        files += names
    return files


def _add(data: JsonObject, origins: Origins, path: Path) -> list[str]:
    from orchestrator.config import strict_yaml

    values, lines, faults = strict_yaml.read(path)
    if faults:
        return faults
    if values.pop("extends", None) != "default":
        return [f"{path}:{lines.get(('extends',), 1)}: a pack must begin with `extends: default`"]
    for section, entries in values.items():
        _merge(data, section, entries, replace_at=2 if section in WHOLE else None)
    for place, line in lines.items():
        origins[place] = (path, line)
    return []


def _merge(into: JsonObject, key: str, value: object, replace_at: int | None, depth: int = 1) -> None:
    """Lay `value` over what `into` has: keys one by one, lists and single values as a whole."""
    old = into.get(key)
    if isinstance(old, dict) and isinstance(value, dict) and depth != replace_at:
        for name, item in value.items():
            _merge(old, name, item, replace_at, depth + 1)
    else:
        into[key] = value


def _where(origins: Origins, place: Place) -> str:
    """File and line of a place, or of the nearest thing around it that stands in a file."""
    while place and place not in origins:
        place = place[:-1]
    path, line = origins.get(place, (Path("pack"), 1))
    return f"{path}:{line}"
