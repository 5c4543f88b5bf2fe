"""The real joined host, whose runs are short: of some sessions all phases are done, of the others a task is only reported.

`python -m tests.fleet_run.light_host URL --token-file F --folder CLONE --state DIR --ca CERT --whole N`
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import sys
import zlib
from pathlib import Path

from orchestrator import log, wakeup
from orchestrator.domain.errors import LeaseLost
from orchestrator.door.desk import Run
from orchestrator.door.http_connections import Connections
from orchestrator.door.http_desk import HttpDesk
from orchestrator.door.token_file import read_token
from tests.bench.noop import noop_report
from workers.host.host import Host
from workers.host.live_runs import LiveRun
from workers.run.joined import JoinedHost, alone
from workers.run.runtime import Runtime
from workers.run.settings_watcher import SettingsWatcher

TAKES = (0.05, 0.4)  # seconds of a task that is only reported


class LightRuntime(Runtime):
    whole: int

    def execute(self, live: LiveRun) -> Run | None:
        row = live.row
        if zlib.crc32(row.session_id.encode()) % self.whole == 0:
            return super().execute(live)
        live.stop.wait(random.uniform(*TAKES))
        if live.is_over:
            raise LeaseLost(run=row.run)
        reported = self.desk.report(
            noop_report(row, own_session=self.own_session()),
            self.roles,
            draining=self.draining(),
        )
        if reported.advance.wake:
            wakeup.wake_daemon(self.desk.project_id)
        return reported.next


class LightHost(JoinedHost):
    whole = 1

    def _runtime(
        self, desk: HttpDesk, host: Host, roles: tuple[str, ...], watcher: SettingsWatcher
    ) -> Runtime:
        made = super()._runtime(desk, host, roles, watcher)
        light = LightRuntime(**{name: value for name, value in vars(made).items() if name != "bell"})
        made.close()
        light.whole = self.whole
        return light


def main() -> int:
    parser = argparse.ArgumentParser(prog="light_host")
    parser.add_argument("url")
    for name in ("token-file", "folder", "state", "ca"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    parser.add_argument("--whole", type=int, required=True)
    given = parser.parse_args()
    os.umask(0o077)
    token = read_token(given.token_file, "lifecycle host add")
    connections = Connections(given.url, token, certificates=given.ca)
    with alone(given.state):
        logger = log.configure(given.state / "logs" / "workers.jsonl", environ=dict(os.environ))
        host = LightHost(connections, given.folder, given.state, logger)
        host.whole = given.whole
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda *_: host.drain())
        return host.run()


if __name__ == "__main__":
    sys.exit(main())
