"""What all layers of the settings say, checked together: every fault with its place."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic import (
    BaseModel,
    ValidationError,
)

from orchestrator.config import agent_options, references
from orchestrator.config.agent_options import Found
from orchestrator.config.layers import Layer, environ_layer, file_layer, merged
from orchestrator.config.references import Names
from orchestrator.config.settings import (
    AgentLimits,
    AgentSettings,
    BudgetSettings,
    CapSettings,
    PriceSettings,
    Settings,
    WorkSettings,
    with_kind,
)
from orchestrator.domain.agent_kinds import BUILTIN, CLIENTS
from orchestrator.domain.errors import ConfigError
from orchestrator.domain.json_types import Json
from orchestrator.domain.plain_values import unknown


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
        made = None
        try:
            made = Settings.model_validate(self.values)
        except ValidationError as error:
            for one in error.errors(include_url=False, include_input=False):
                bad.add(str(one["loc"][0]) if one["loc"] else "")
                faults.append(_fault(self.layers, one["loc"], one["type"], one["msg"]))
        faults += _together(self.layers, bad)
        for place, text in self._senseless(names):
            faults.append(_fault(self.layers, place, "senseless", text))
        if faults or made is None:
            raise ConfigError(dict.fromkeys(faults))
        return made

    def _senseless(self, names: Names | None) -> Iterator[Found]:
        """What has the right type and cannot be meant; agents that have not are told already."""
        own = self.values.get("agents")
        agents: dict[str, AgentSettings] = {}
        for name, given in own.items() if isinstance(own, Mapping) else ():
            agent, left_out = _without_faults(with_kind(name, given))
            if agent is not None:
                agents[name] = agent
                for place, text in agent_options.faults(name, agent, left_out):
                    yield ("agents", name, *place), text
        yield from references.faults(self.values, agents, self.agents, names)


def _without_faults(given: Json) -> tuple[AgentSettings | None, frozenset[str]]:
    """An agent from those of its options that are well-formed, and the names of the others; None without its kind."""
    try:
        return AgentSettings.model_validate(given), frozenset()
    except ValidationError as error:
        bad = frozenset(str(one["loc"][0]) for one in error.errors() if one["loc"])
    if not bad or "kind" in bad:
        return None, bad
    return AgentSettings.model_validate({key: given[key] for key in given if key not in bad}), bad


def read(files: Sequence[Path], environ: Mapping[str, str], flags: Mapping[str, Json]) -> Sources:
    """What files, environment and flags say; a file named later goes over one before it."""
    given = {name: value for name, value in flags.items() if value is not None}
    layers = [
        Layer(given, _flag),
        environ_layer(environ, Settings.model_fields),
        *(file_layer(path) for path in reversed(files)),
    ]
    return Sources(layers, merged(layers))


def _fault(layers: Sequence[Layer], place: tuple[str | int, ...], kind: str, text: str) -> str:
    held = place[:-1] if kind == "missing" else place
    layer = next((layer for layer in layers if layer.has(held)), None)
    where = layer.where(place) if layer else "settings"
    dotted = ".".join(map(str, place))
    if kind == "extra_forbidden":
        return f"{where}: {unknown('setting', dotted, _siblings(place))}"
    return f"{where}: {dotted}: {_EXPECTED.get(kind) or text.removeprefix('Value error, ')}"


def _siblings(place: tuple[str | int, ...]) -> list[str]:
    """The names that would be known where an unknown one stands, with the path in front."""
    parts = [str(part) for part in place[:-1]]
    model: type[BaseModel] = _MODELS.get(parts[0] if parts else "", Settings)
    if parts and parts[-1] == "limits":
        model = AgentLimits
    if parts in (["budget", "task"], ["budget", "code"]):
        model = CapSettings
    return [".".join([*parts, name]) for name in model.model_fields]


def _together(layers: Sequence[Layer], bad: Collection[str]) -> list[str]:
    """What single settings allow and two of them together do not."""

    def number(name: str) -> float | None:
        if name in bad:
            return None
        layer = next((layer for layer in layers if name in layer.values), None)
        return float(layer.values[name] if layer else Settings.model_fields[name].default)

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
    "model_type": "expected a table of settings",
    "dict_type": "expected a table of settings",
    "list_type": "expected a list",
    "string_type": "expected text",
}
_MODELS: dict[str, type[BaseModel]] = {
    "agent_limits": AgentLimits,
    "agents": AgentSettings,
    "budget": BudgetSettings,
    "prices": PriceSettings,
    "work": WorkSettings,
}
