"""The alarm clock: APScheduler's timers, each of which only runs a small function at its time.

Work is never kept here: a timer looks at the database and says what it finds, so a tick that is lost or comes twice costs
or changes nothing. (A job per session with `max_instances=1` would drop a wake that comes while it runs.)
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

from apscheduler.executors.pool import ThreadPoolExecutor
from apscheduler.schedulers.background import BackgroundScheduler


class AlarmClock:
    def __init__(self, log: Any) -> None:
        self._log = log
        self._scheduler = BackgroundScheduler(
            executors={"default": ThreadPoolExecutor(2)},
            job_defaults={"coalesce": True, "max_instances": 1, "misfire_grace_time": None},
            timezone=UTC,
        )

    def every(self, seconds: float, name: str, tick: Callable[[], None]) -> None:
        """Run `tick` every so many seconds; a fault of one tick is logged and the next one comes."""
        self._scheduler.add_job(self._guarded, "interval", seconds=seconds, id=name, args=(name, tick))

    def at(self, micros: int, name: str, tick: Callable[[], None]) -> None:
        """Run `tick` once at a time (microseconds, UTC), instead of what was set under that name before."""
        when = datetime.fromtimestamp(micros / 1e6, UTC)
        self._scheduler.add_job(
            self._guarded, "date", run_date=when, id=name, args=(name, tick), replace_existing=True
        )

    def start(self) -> None:
        self._scheduler.start()

    def stop(self) -> None:
        """No tick begins any more; one under way is waited for."""
        self._scheduler.shutdown(wait=True)

    def _guarded(self, name: str, tick: Callable[[], None]) -> None:
        try:
            tick()
        except Exception:
            self._log.exception("timer_failed", timer=name)
