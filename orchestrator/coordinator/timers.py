"""The coordinator's timers (APScheduler), each of which only runs a small function at its time.

Work is never kept here: a timer reads the database and wakes who has something to do, so a lost or repeated tick costs
or changes nothing. (A job per session with `max_instances=1` would drop a wake that comes while it runs.)

APScheduler counts on the wall clock, which people and machines set: put back by an hour, it would be silent for an hour
and our lead would end. So a thread compares the wall with the monotonic clock, and after a jump every timer is set anew.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime, timedelta

from orchestrator.domain.errors import LifecycleError, StoreBroken
from orchestrator.lean_imports import alone
from orchestrator.log import Logger

with alone():
    from apscheduler.executors.pool import ThreadPoolExecutor
    from apscheduler.jobstores.base import JobLookupError
    from apscheduler.schedulers.background import BackgroundScheduler
    from apscheduler.triggers.base import BaseTrigger

POLL_SECONDS = 1.0  # how often the clocks are compared
JUMP_SECONDS = 0.5  # a larger difference between two polls is a jump; a clock that is slewed stays far below


class _Every(BaseTrigger):  # type: ignore[misc]  # it ships no types
    """One period from now. (Its own interval trigger lists every time that a clock put forward has passed over.)"""

    def __init__(self, seconds: float) -> None:
        self.period = timedelta(seconds=seconds)

    def get_next_fire_time(self, previous_fire_time: datetime | None, now: datetime) -> datetime:
        return now + self.period


class TimerScheduler:
    def __init__(
        self, log: Logger, on_broken: Callable[[StoreBroken], None], wall: Callable[[], float] = time.time
    ) -> None:
        """`on_broken` is told when a tick finds that the database cannot be gone on with.

        `wall` must be the clock that `datetime.now` shows.
        """
        self._log = log
        self._on_broken = on_broken
        self._wall = wall
        self._stopped = threading.Event()
        self._watch = threading.Thread(target=self._watch_the_wall, name="clock", daemon=True)
        self._scheduler = BackgroundScheduler(
            executors={"default": ThreadPoolExecutor(2)},
            job_defaults={"coalesce": True, "max_instances": 1, "misfire_grace_time": None},
            timezone=UTC,
        )

    def every(self, seconds: float, name: str, tick: Callable[[], None]) -> None:
        """Run `tick` every so many seconds; a fault of one tick is logged and the next one comes."""
        self._scheduler.add_job(self._guarded, _Every(seconds), id=name, args=(name, tick))

    def at(self, micros: int, name: str, tick: Callable[[], None]) -> None:
        """Run `tick` once at a time (microseconds, UTC), instead of what was set under that name before."""
        when = datetime.fromtimestamp(micros / 1e6, UTC)
        self._scheduler.add_job(
            self._guarded, "date", run_date=when, id=name, args=(name, tick), replace_existing=True
        )

    def start(self) -> None:
        self._scheduler.start()
        self._watch.start()

    def stop(self) -> None:
        """No tick begins any more; one under way is waited for."""
        self._stopped.set()
        self._scheduler.shutdown(wait=True)

    def _guarded(self, name: str, tick: Callable[[], None]) -> None:
        try:
            tick()
        except StoreBroken as error:
            self._on_broken(error)
        except LifecycleError as error:
            self._log.error("timer_failed", timer=name, error=error.what, why=error.why)
        except Exception:
            self._log.exception("timer_failed", timer=name)

    def _watch_the_wall(self) -> None:
        ahead = self._wall() - time.monotonic()
        while not self._stopped.wait(POLL_SECONDS):
            now = self._wall() - time.monotonic()
            if abs(now - ahead) > JUMP_SECONDS:
                self._log.warning("clock_jumped", seconds=round(now - ahead, 1))
                self._set_anew()
            ahead = now

    def _set_anew(self) -> None:
        """Each timer comes one period from now, as if it had just been; one set with `at` comes at once, and only reads."""
        now = datetime.fromtimestamp(self._wall(), UTC)
        for job in self._scheduler.get_jobs():
            periodic = isinstance(job.trigger, _Every)
            with suppress(JobLookupError):  # one set with `at` has just fired
                job.modify(next_run_time=job.trigger.get_next_fire_time(None, now) if periodic else now)
