"""What all layers of the settings say, checked together: every fault with its place."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

from orchestrator.config import agent_options, plain_settings, references
from orchestrator.config.agent_options import Found
from orchestrator.config.layers import Layer, Place, environ_layer, file_layer, merged
from orchestrator.config.references import Names
from orchestrator.config.settings import (
    AgentLimits,
    AgentSettings,
    BudgetSettings,
    CapSettings,
    DatabaseSettings,
    PriceSettings,
    Settings,
    TemporalSettings,
    TracesSettings,
    WorkSettings,
    with_kind,
)
from orchestrator.domain.agent_kinds import BUILTIN, CLIENTS
from orchestrator.domain.dataclass import annotated, dataclass
from orchestrator.domain.errors import ConfigError
from orchestrator.domain.json_types import Json
from orchestrator.domain.named_tuple import NamedTuple
from orchestrator.domain.plain_values import unknown

T = TypeVar("T")
DEFAULTS = Settings()


@dataclass(frozen=True, slots=True)
class Sources:
    """What all layers say, not checked yet."""

    layers: Sequence[Layer]
    values: Mapping[str, Json]

    @property
    def agents(self) -> frozenset[str] | None:
        """The names of all agents; None when a layer that could not be read may name more."""
        if not all(layer.whole for layer in self.layers):
            return None
        own = self.values.get("agents")
        return frozenset({BUILTIN, *CLIENTS, *(own if isinstance(own, Mapping) else ())})

    @property
    def orders(self) -> bool:
        """Whether roles or perspectives of the pack are named."""
        return bool(self.values.get("roles") or self.values.get("perspectives"))

    def settings(self, names: Names | None = None) -> Settings:
        """The settings, or a ConfigError with every fault of every layer; `names`: what the pack knows."""
        faults = [fault for layer in self.layers for fault in layer.faults]
        bad: set[str] = set()
        made, wrong = _validated(Settings, self.values)
        for one in wrong:
            bad.add(str(one.place[0]) if one.place else "")
            faults.append(_fault(self.layers, one.place, one.kind, one.text))
        faults += _together(self.layers, bad)
        faults += self._misplaced()
        for place, text in self._senseless(names):
            faults.append(_fault(self.layers, place, "senseless", text))
        if faults or made is None:
            raise ConfigError(dict.fromkeys(faults))
        return made

    def database(self) -> DatabaseSettings:
        """That part alone, whatever is wrong with the others. Raises ConfigError, also where a file cannot be read."""
        faults = [fault for layer in self.layers if not layer.whole for fault in layer.faults]
        made, wrong = _validated(Settings, {"database": self.values.get("database", {})})
        faults += [_fault(self.layers, one.place, one.kind, one.text) for one in wrong]
        faults += self._misplaced()
        if faults or made is None:
            raise ConfigError(dict.fromkeys(faults))
        return made.database

    def _misplaced(self) -> list[str]:
        """What the user's own file says and would mean for every project."""
        own = self.layers[-1]
        if not own.has(("database",)):
            return []
        says = "each project has a database of its own: say it in the project's .workflow/config.toml"
        return [f"{own.where(('database',))}: database: {says}"]

    def _senseless(self, names: Names | None) -> Iterator[Found]:
        """What has the right type and cannot be meant; agents that have not are told already."""
        own = self.values.get("agents")
        agents: dict[str, AgentSettings] = {}
        for name, given in own.items() if isinstance(own, Mapping) else ():
            given = with_kind(name, given)
            agent, left_out = _without_faults(given)
            if agent is not None:
                agents[name] = agent
                for place, text in agent_options.faults(name, agent, given.keys() - left_out, left_out):
                    yield ("agents", name, *place), text
        yield from references.faults(self.values, agents, self.agents, names)


class _Wrong(NamedTuple):
    place: Place
    kind: str
    text: str


def _validated(kind: type[T], values: Json) -> tuple[T | None, list[_Wrong]]:
    """An instance of the dataclass, or what is wrong with the values."""
    made = plain_settings.made(kind, values)
    if made is not None:
        return made, []
    from pydantic import TypeAdapter, ValidationError

    try:
        return TypeAdapter(kind).validate_python(values), []
    except ValidationError as error:
        found = error.errors(include_url=False, include_input=False)
        return None, [_Wrong(one["loc"], one["type"], one["msg"]) for one in found]


def _without_faults(given: Json) -> tuple[AgentSettings | None, frozenset[str]]:
    """An agent from those of its options that are well-formed, and the names of the others; None without its kind."""
    made, wrong = _validated(AgentSettings, given)
    bad = frozenset(str(one.place[0]) for one in wrong if one.place)
    if made is None and bad and "kind" not in bad:
        made, _ = _validated(AgentSettings, {key: given[key] for key in given if key not in bad})
    return made, bad


def read(files: Sequence[Path], environ: Mapping[str, str], flags: Mapping[str, Json]) -> Sources:
    """What files, environment and flags say; the first file is the user's own, a later one goes over one before it."""
    given = {name: value for name, value in flags.items() if value is not None}
    layers = [
        Layer(given, _flag),
        environ_layer(environ, list(annotated(Settings) or ())),
        *(file_layer(path) for path in reversed(files)),
    ]
    return Sources(layers, merged(layers))


def _fault(layers: Sequence[Layer], place: tuple[str | int, ...], kind: str, text: str) -> str:
    held = place[:-1] if kind == "missing" else place
    layer = next((layer for layer in layers if layer.has(held)), None)
    where = layer.where(place) if layer else "settings"
    dotted = ".".join(map(str, place))
    if kind == "unexpected_keyword_argument":
        return f"{where}: {unknown('setting', dotted, _siblings(place))}"
    return f"{where}: {dotted}: {_EXPECTED.get(kind) or text.removeprefix('Value error, ')}"


def _siblings(place: tuple[str | int, ...]) -> list[str]:
    """The names that would be known where an unknown one stands, with the path in front."""
    parts = [str(part) for part in place[:-1]]
    model: type[Any] = _MODELS.get(parts[0] if parts else "", Settings)
    if parts and parts[-1] == "limits":
        model = AgentLimits
    if parts in (["budget", "task"], ["budget", "code"]):
        model = CapSettings
    return [".".join([*parts, name]) for name in annotated(model) or ()]


def _together(layers: Sequence[Layer], bad: Collection[str]) -> list[str]:
    """What single settings allow and two of them together do not."""

    def number(name: str) -> float | None:
        if name in bad:
            return None
        layer = next((layer for layer in layers if name in layer.values), None)
        return float(layer.values[name] if layer else getattr(DEFAULTS, name))

    def where(*names: str) -> str:
        return next((layer.where((n,)) for layer in layers for n in names if n in layer.values), "settings")

    faults: list[str] = []
    lease, renew, margin = map(number, ("lease_seconds", "renew_seconds", "watchdog_margin_seconds"))
    if lease is not None and renew is not None and lease < 2 * renew:
        at = where("lease_seconds", "renew_seconds")
        faults.append(f"{at}: lease_seconds ({lease:g}) must be at least twice renew_seconds ({renew:g})")
    if lease is not None and renew is not None and margin is not None and lease <= renew + margin:
        at = where("watchdog_margin_seconds", "lease_seconds", "renew_seconds")
        faults.append(f"{at}: lease_seconds ({lease:g}) must exceed renew_seconds + watchdog_margin_seconds")
    return faults


def _flag(place: tuple[str | int, ...]) -> str:
    names = [part for part in place if isinstance(part, str)]
    return f"--{names[-1].replace('_', '-')}" if names else "flags"


_EXPECTED = {  # pydantic's own words name our classes
    "dataclass_type": "expected a table of settings",
    "dict_type": "expected a table of settings",
    "list_type": "expected a list",
    "string_type": "expected text",
}
_MODELS: dict[str, type[Any]] = {
    "agent_limits": AgentLimits,
    "agents": AgentSettings,
    "budget": BudgetSettings,
    "database": DatabaseSettings,
    "prices": PriceSettings,
    "temporal": TemporalSettings,
    "traces": TracesSettings,
    "work": WorkSettings,
}
