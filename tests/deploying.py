"""What the files of config/deploy start: the command lines of each service, and how long it may take to end."""

from __future__ import annotations

import configparser
import re
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML

from tests.conftest import ROOT

DEPLOY = ROOT / "config" / "deploy"
PROGRAM = "/opt/lifecycle/bin/lifecycle"


@dataclass(frozen=True, slots=True)
class Service:
    """Arguments of `lifecycle`, the environment that the file gives it, and seconds until it is killed."""

    arguments: list[str]
    environment: Mapping[str, str]
    stop_seconds: float


def read_yaml(file: Path) -> list[Any]:
    """The documents of a file."""
    return list(YAML(typ="safe").load_all(file.read_text(encoding="utf-8")))


def compose() -> dict[str, Service]:
    (content,) = read_yaml(DEPLOY / "compose.yaml")
    return {
        name: Service(
            service["command"], _given(service.get("environment", {})), _seconds(service["stop_grace_period"])
        )
        for name, service in content["services"].items()
        if "command" in service
    }


def unit(file: Path) -> dict[str, list[str]]:
    """The settings of a unit's service, each with its values."""
    found: dict[str, list[str]] = {}
    parser = configparser.RawConfigParser(dict_type=dict, strict=False, interpolation=None)
    parser.optionxform = str  # type: ignore[assignment,method-assign]
    parser.read(file)
    assert parser.has_section("Service"), file
    for line in file.read_text(encoding="utf-8").splitlines():
        key, given, value = line.partition("=")
        if given and not line.startswith("#"):
            found.setdefault(key, []).append(value)
    return found


def systemd() -> dict[str, Service]:
    found = {}
    for file in sorted((DEPLOY / "systemd").iterdir()):
        service = unit(file)
        program, *arguments = shlex.split(service["ExecStart"][0])
        assert program == PROGRAM, file
        environment = dict(each.split("=", 1) for each in service.get("Environment", []))
        name = file.stem.removeprefix("lifecycle-").removesuffix("@")
        found[name] = Service(arguments, environment, float(service["TimeoutStopSec"][0]))
    return found


def manifests(*folders: str) -> Iterator[Mapping[str, Any]]:
    """Every resource in these folders below kubernetes/."""
    for folder in folders:
        for file in sorted((DEPLOY / "kubernetes" / folder).glob("*.yaml")):
            if file.name != "kustomization.yaml":
                yield from read_yaml(file)


def kubernetes() -> dict[str, Service]:
    found = {}
    for resource in manifests("base"):
        pod = resource.get("spec", {}).get("template", {}).get("spec")
        if pod is None or resource["metadata"]["name"] == "database":
            continue
        (container,) = pod["containers"]
        environment = {each["name"]: each["value"] for each in container.get("env", [])}
        name = resource["metadata"]["name"].removesuffix("s")
        found[name] = Service(container["args"], environment, float(pod["terminationGracePeriodSeconds"]))
    return found


KINDS = {"compose": compose, "kubernetes": kubernetes, "systemd": systemd}


def _given(environment: Mapping[str, str | None]) -> dict[str, str]:
    """Without the variables that are the shell's own, which has none of them here."""
    return {name: value for name, value in environment.items() if value is not None}


def _seconds(text: str) -> float:
    found = re.fullmatch(r"(\d+)s", text)
    assert found is not None, text
    return float(found[1])
