"""What a host takes from outside, read anew when it has changed: settings, agents, prices, and where programs are found.

A host lives longer than the shell and the configuration it was started from. A person who switches an agent off, or installs
one, means the next task.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Mapping
from pathlib import Path

from orchestrator.config import PATH_FILE, load_prices, load_settings, user_dir
from orchestrator.config.settings import Settings
from orchestrator.config.variables import handed_over
from orchestrator.domain.dataclass import dataclass
from orchestrator.domain.errors import LifecycleError
from orchestrator.domain.json_types import Json
from orchestrator.domain.prices import Prices
from orchestrator.log import Logger
from workers.agents.routing import Router, build_router
from workers.builtin import BuiltinAgent


@dataclass(frozen=True, slots=True)
class WorkerConfig:
    settings: Settings
    router: Router
    prices: Prices


class SettingsWatcher:
    """`environ` is what agents may see of the environment. Its PATH begins with the latest command's.

    What it had stays behind it: a command from a poorer shell must not take a session's agents away.
    """

    def __init__(
        self, project: Path, flags: Mapping[str, Json], environ: dict[str, str], log: Logger
    ) -> None:
        """Raises ConfigError: a host does not begin with faulty settings."""
        self._project = project
        self._flags = dict(flags)
        self._environ = environ
        self._log = log
        self._lock = threading.Lock()
        self._told: set[str] = set()
        workflow = project / ".workflow"
        self._path = workflow / PATH_FILE
        self._files = (user_dir(os.environ) / "config.toml", workflow / "config.toml", self._path)
        self._seen = self._stamps()
        self._config = self._read()

    def now(self) -> WorkerConfig:
        """As the files say; as before where they have a fault, which is logged once."""
        with self._lock:
            stamps = self._stamps()
            if stamps != self._seen:
                self._seen = stamps
                try:
                    self._config = self._read()
                    self._log.info("settings_read")
                except (LifecycleError, OSError) as error:
                    self._log.warning("settings_not_read", error=str(error))
            return self._config

    def take(self, values: Mapping[str, Json]) -> None:
        """What a person's shell hands over, as far as agents log in with it."""
        self._environ.update(handed_over(self.now().settings, values))

    def _read(self) -> WorkerConfig:
        settings = load_settings(self._project, os.environ, self._flags)
        prices = load_prices(settings)
        if self._path.is_file():
            latest = self._path.read_text(encoding="utf-8", errors="surrogateescape")
            places = [*latest.split(os.pathsep), *self._environ.get("PATH", "").split(os.pathsep)]
            self._environ["PATH"] = os.pathsep.join(dict.fromkeys(filter(None, places)))
        return WorkerConfig(
            settings, build_router(settings, self._environ, self._once, builtin=BuiltinAgent()), prices
        )

    def _once(self, note: str) -> None:
        if note not in self._told:
            self._told.add(note)
            self._log.info("agent_skipped", why=note)

    def _stamps(self) -> tuple[object, ...]:
        return tuple(map(_stamp, self._files))


def _stamp(file: Path) -> object:
    try:
        found = os.stat(file)  # noqa: PTH116 - asked before each run
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino
