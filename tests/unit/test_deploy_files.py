"""The files of config/deploy: valid for the programs that read them, and as locked up as the documentation says."""

from __future__ import annotations

import shutil
import subprocess
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from orchestrator.config import load_settings
from tests import deploying
from tests.deploying import DEPLOY

OVERLAYS = ("base", "overlays/temporal")
UNITS = sorted((DEPLOY / "systemd").iterdir())


def run(*command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, capture_output=True, text=True, timeout=60)


def pods() -> list[tuple[str, Mapping[str, Any]]]:
    found = [
        (resource["metadata"]["name"], resource["spec"]["template"]["spec"])
        for resource in deploying.manifests(*OVERLAYS)
        if "template" in resource.get("spec", {})
    ]
    assert len(found) == 6
    return found


def test_docker_compose_reads_the_file() -> None:
    plugin = shutil.which("docker") is not None and run("docker", "compose", "version").returncode == 0
    if not plugin and shutil.which("docker-compose") is None:
        pytest.skip("neither `docker compose` nor docker-compose is on this machine")
    program = ("docker", "compose") if plugin else ("docker-compose",)

    done = run(*program, "--file", str(DEPLOY / "compose.yaml"), "config", "--quiet")

    assert done.returncode == 0, done.stderr


def test_compose_names_nothing_that_is_not_there() -> None:
    (content,) = deploying.read_yaml(DEPLOY / "compose.yaml")
    services = content["services"]

    for name, service in services.items():
        assert set(service.get("depends_on", {})) <= set(services), name
        assert set(service["secrets"]) <= set(content["secrets"]), name
        named = {volume.partition(":")[0] for volume in service["volumes"] if not volume.startswith(".")}
        assert named <= set(content["volumes"]), name
        if name != "database":
            assert service["read_only"] and service["user"] == "10001" and service["cap_drop"] == ["ALL"], (
                name
            )
    assert not [name for name in ("host",) if "database-password" in services[name]["secrets"]]


@pytest.mark.parametrize("overlay", OVERLAYS)
def test_the_manifests_fit_their_schemas(overlay: str, tmp_path: Path) -> None:
    validate = pytest.importorskip("kubernetes_validate", reason="pip install -e '.[test]'")

    for resource in deploying.manifests(overlay):
        validate.validate(resource, validate.latest_version(), strict=True)


@pytest.mark.parametrize("overlay", OVERLAYS)
def test_kustomize_builds_the_overlay(overlay: str) -> None:
    if shutil.which("kubectl") is None:
        pytest.skip("kubectl is not on this machine")

    done = run("kubectl", "kustomize", str(DEPLOY / "kubernetes" / overlay))

    assert done.returncode == 0, done.stderr
    assert "kind: ConfigMap" in done.stdout


@pytest.mark.parametrize("overlay", OVERLAYS)
def test_a_kustomization_names_each_file_of_its_folder(overlay: str) -> None:
    folder = DEPLOY / "kubernetes" / overlay
    (content,) = deploying.read_yaml(folder / "kustomization.yaml")

    named = {name for name in content["resources"] if not name.startswith("..")}

    assert named == {file.name for file in folder.glob("*.yaml")} - {"kustomization.yaml"}


@pytest.mark.parametrize(("name", "pod"), pods())
def test_no_pod_is_root_or_writes_its_own_files(name: str, pod: Mapping[str, Any]) -> None:
    assert pod["securityContext"]["runAsNonRoot"] is True
    assert pod["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}
    assert pod["automountServiceAccountToken"] is False
    for container in [*pod["containers"], *pod.get("initContainers", [])]:
        locked = container["securityContext"]
        assert locked["readOnlyRootFilesystem"] is True and locked["allowPrivilegeEscalation"] is False
        assert locked["capabilities"] == {"drop": ["ALL"]}
        assert "requests" in container["resources"]
        known = {volume["name"] for volume in pod["volumes"]} | {"data", "project"}
        assert {mount["name"] for mount in container["volumeMounts"]} <= known
        for variable in container.get("env", []):  # secrets are files, but for what OpenTelemetry reads
            assert "valueFrom" not in variable
        sends = name in ("server", "coordinator") and container in pod["containers"]
        traces = [{"secretRef": {"name": "traces", "optional": True}}]
        assert container.get("envFrom", []) == (traces if sends else [])


def test_temporal_is_as_new_as_dispatch_needs() -> None:
    """Standalone activities; the images that set themselves up ended before."""
    containers = [
        container
        for name, pod in pods()
        if name.startswith("temporal")
        for container in [*pod["containers"], *pod.get("initContainers", [])]
    ]

    images = {container["image"].partition(":") for container in containers}
    assert {name for name, _, _ in images} == {"temporalio/server", "temporalio/admin-tools"}
    (version,) = {version for _, _, version in images}
    assert tuple(map(int, version.split("."))) >= (1, 31)


def test_the_server_is_asked_by_its_health() -> None:
    (pod,) = (pod for name, pod in pods() if name == "server")
    (container,) = pod["containers"]

    for probe in ("startupProbe", "readinessProbe"):
        assert container[probe]["httpGet"] == {"path": "/healthz", "port": "https", "scheme": "HTTPS"}


def test_hosts_have_no_password_of_the_database() -> None:
    (pod,) = (pod for name, pod in pods() if name == "hosts")

    assert [volume["secret"]["secretName"] for volume in pod["volumes"] if "secret" in volume] == [
        "host-token"
    ]


@pytest.mark.parametrize("file", UNITS, ids=lambda file: file.name)
def test_systemd_reads_the_unit(file: Path, tmp_path: Path) -> None:
    if shutil.which("systemd-analyze") is None:
        pytest.skip("systemd-analyze is not on this machine")
    text = file.read_text(encoding="utf-8")
    unit = tmp_path / file.name
    unit.write_text(text.replace(deploying.PROGRAM, "/bin/true"), encoding="utf-8")

    done = run("systemd-analyze", "verify", "--man=no", str(unit))

    assert done.returncode == 0 and file.name.split("@")[0] not in done.stderr, done.stderr


@pytest.mark.parametrize("kind", deploying.KINDS)
def test_who_drains_is_waited_for(kind: str) -> None:
    """Killed before its drain is over, a host would leave agents to its guardian and runs to the end of their leases."""
    drain = tomllib.loads((DEPLOY / "settings.toml").read_text(encoding="utf-8"))["drain_seconds"]

    services = deploying.KINDS[kind]()

    assert set(services) == {"server", "coordinator", "host"}
    for name in ("coordinator", "host"):
        assert services[name].stop_seconds > drain


def test_units_leave_nothing_behind() -> None:
    """`mixed` asks the main process alone to end, and kills what is left of its control group."""
    modes = {file.name: deploying.unit(file)["KillMode"] for file in UNITS}

    assert modes == {
        "lifecycle-coordinator.service": ["mixed"],
        "lifecycle-host@.service": ["mixed"],
        "lifecycle-server.service": ["control-group"],
    }


def test_the_settings_are_valid_and_the_same_everywhere(project: Path) -> None:
    text = (DEPLOY / "settings.toml").read_text(encoding="utf-8")
    (project / ".workflow" / "config.toml").write_text(text, encoding="utf-8")

    settings = load_settings(project, {})

    assert settings.database.project == "lifecycle"
    assert (DEPLOY / "kubernetes" / "base" / "settings.toml").read_text(encoding="utf-8") == text
    assert "COPY dist/*.whl" in (DEPLOY / "Dockerfile").read_text(encoding="utf-8")
