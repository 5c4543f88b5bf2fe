"""The price list that ships with the product, and the user's own prices over it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from orchestrator.config import shipped_yaml
from orchestrator.domain.errors import ConfigError
from orchestrator.domain.graph import Place
from orchestrator.domain.json_types import Json
from orchestrator.domain.prices import OWN, Price, Prices

_OPTIONAL = ("cached_input", "cache_write", "cache_write_1h", "up_to")
_WANTED = {"provider", "model", "input", "output", *_OPTIONAL}


def load(shipped: Path, own: Mapping[str, Json]) -> Prices:
    """`own` are `PriceSettings` by model. Raises ConfigError when the shipped list is not what it should be."""
    values = shipped_yaml.read(shipped)
    faults: dict[Place, str] = {}
    date, listed = values.get("date"), []
    if not isinstance(date, str):
        faults["date",] = "date: expected text"
    for number, entry in enumerate(values.get("models") or ()):
        fault = _fault(entry)
        if fault:
            faults["models", number] = fault
            continue
        price = Price(
            model=entry["model"],
            input=float(entry["input"]),
            output=float(entry["output"]),
            cached=_number(entry, "cached_input"),
            provider=entry["provider"],
            date=str(date),
            cache_write=_number(entry, "cache_write"),
            cache_write_1h=_number(entry, "cache_write_1h"),
            up_to=entry.get("up_to"),
        )
        listed.append(price)
    if faults:
        raise ConfigError(_with_lines(shipped, faults))
    return Prices(tuple(_own(model, given) for model, given in own.items()), tuple(listed))


def _with_lines(file: Path, faults: Mapping[Place, str]) -> list[str]:
    from orchestrator.config import strict_yaml

    _, lines, _ = strict_yaml.read(file)
    return [f"{file}:{lines.get(place, 1)}: {fault}" for place, fault in faults.items()]


def _own(model: str, given: Json) -> Price:
    return Price(
        model,
        given.input,
        given.output,
        given.cached_input,
        date=given.date or OWN,
        cache_write=given.cache_write,
        cache_write_1h=given.cache_write_1h,
    )


def _number(entry: Mapping[str, Json], name: str) -> float | None:
    return None if entry.get(name) is None else float(entry[name])


def _fault(entry: Json) -> str | None:
    if not isinstance(entry, dict) or not entry.keys() <= _WANTED:
        return f"expected {', '.join(sorted(_WANTED))}"
    if not all(isinstance(entry.get(name), str) for name in ("provider", "model")):
        return "provider and model must be text"
    numbers = [entry.get("input"), entry.get("output"), *(entry.get(name, 0) for name in _OPTIONAL)]
    if not all(isinstance(n, int | float) and not isinstance(n, bool) and n >= 0 for n in numbers):
        return f"input, output, {', '.join(_OPTIONAL)} must be numbers, 0 or more"
    return None
