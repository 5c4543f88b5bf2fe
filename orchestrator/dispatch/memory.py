"""The memory available to this process: the machine's, and that of each control group (version 2) around it.

Linux only: elsewhere nothing is known, and a coordinator stays as long as the settings say.
"""

from __future__ import annotations

import re
from pathlib import Path

from orchestrator.domain.idleness import Memory
from orchestrator.domain.patterns import expression

PROC = Path("/proc")
GROUPS = Path("/sys/fs/cgroup")
_STALLED = expression(r"^some .*\bavg60=([0-9.]+)", re.M)


def memory(proc: Path = PROC, groups: Path = GROUPS) -> list[Memory]:
    """The machine's and each limited group's; what cannot be read is left out."""
    found = [_of_machine(proc), *map(_of_group, _groups(proc, groups))]
    return [each for each in found if each is not None]


def _of_machine(proc: Path) -> Memory | None:
    facts = _table(proc / "meminfo", ":")
    try:
        available, total = facts["MemAvailable"], facts["MemTotal"]
    except KeyError:
        return None
    return Memory(available * 1024, total * 1024, _stalled(proc / "pressure" / "memory"))


def _groups(proc: Path, groups: Path) -> list[Path]:
    """Our control group and those around it, as far as they are shown here."""
    own = next((line[3:] for line in _read(proc / "self" / "cgroup").splitlines() if line[:3] == "0::"), None)
    if own is None or ".." in own:  # it lies outside of what a container is shown
        return []
    folder = groups / own.strip("/")
    return [folder, *folder.parents[: len(folder.parts) - len(groups.parts)]]


def _of_group(folder: Path) -> Memory | None:
    """None where the group has no limit."""
    limits = [
        int(said)
        for name in ("memory.max", "memory.high")
        if (said := _read(folder / name).strip()).isdigit()
    ]
    used = _read(folder / "memory.current").strip()
    if not limits or not used.isdigit():
        return None
    kept = _table(folder / "memory.stat", " ").get(
        "inactive_file", 0
    )  # the kernel drops it when it is asked to
    total = min(limits)
    return Memory(max(0, total - int(used) + kept), total, _stalled(folder / "memory.pressure"))


def _stalled(file: Path) -> float:
    found = _STALLED.search(_read(file))
    return float(found[1]) if found else 0.0


def _table(file: Path, after: str) -> dict[str, int]:
    """Lines of a name and a number."""
    pairs = (line.partition(after) for line in _read(file).splitlines())
    return {name: int(rest.split()[0]) for name, _, rest in pairs if rest.split()}


def _read(file: Path) -> str:
    try:
        return file.read_text()
    except OSError:  # not this system's, or switched off: the kernel then refuses to open or to read it
        return ""
