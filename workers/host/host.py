"""The worker host: a pool of slots, one lease, a renewal and a watchdog that do not depend on each other.

Each slot repeats: claim the oldest offered task of our roles, take it through the five phases, go on with the successor
the report advanced to, or poll for the next offer. The main thread listens for wakes. The order of ending matters:
no more claims, open runs finish or are released, and the heartbeat stops last.
"""

from __future__ import annotations

import os
import threading
import time
import uuid
from collections.abc import Callable
from typing import TYPE_CHECKING

from orchestrator import failpoints, wakeup
from orchestrator.config.settings import Settings
from orchestrator.domain.account_pause import SECOND
from orchestrator.domain.errors import DatabaseDamaged, LeaseLost, LifecycleError, StoreBroken
from orchestrator.domain.json_types import JsonObject
from orchestrator.door.desk import SUPERVISED, Desk, Renewed, Run, new_run_id
from orchestrator.installation import Installation
from orchestrator.log import Logger
from workers.host.leftovers import Leftovers
from workers.host.live_runs import LiveRun, LiveRuns

if TYPE_CHECKING:
    from orchestrator.engine.client import Delivery
    from orchestrator.engine.place import EnginePlace
    from workers.host.deliveries import Deliveries, Outcome

Execute = Callable[[LiveRun], Run | None]
ORPHAN_SECONDS = 60.0  # without a coordinator and without work, a host leaves after this long


class Host:
    """`execute` takes one run through its phases and returns the successor that its report started, if any."""

    def __init__(
        self,
        desk: Desk,
        settings: Settings,
        roles: tuple[str, ...],
        slots: int,
        execute: Execute,
        log: Logger,
        *,
        supervised: bool = False,
        stays: bool = False,
        maintain: Callable[[Callable[[], bool]], None] | None = None,
        engine: EnginePlace | None = None,
        installed: Installation | None = None,
    ) -> None:
        """`stays`: also without a coordinator and without work; `engine`: what delivers offers, where one does.

        `installed`: what this process was started from.

        `maintain`: what to do for everybody after each run and now and then; it asks whether to stop.
        """
        self.incarnation = f"{SUPERVISED if supervised else 'h-'}{uuid.uuid4().hex}"
        self._desk = desk
        self._settings = settings
        self._roles = roles
        self._slots = slots
        self._execute = execute
        self._log = log.bind(host=self.incarnation[:10])
        self._leftovers = Leftovers(desk, settings.reconcile_seconds, self._log)
        self.live = LiveRuns()
        self._draining = threading.Event()
        self._ended = threading.Event()
        self._renew_now = threading.Event()
        self._offers = threading.Condition()
        self._wakes = 0  # counts wakes, so that one between a poll and a wait is not missed
        self._asking = threading.Lock()  # held by the slot that asks for the oldest offer
        self._nothing = -1  # of `_wakes`, when a claim that found nothing was begun
        self._fenced = False  # our host lease ended, or our handles are in doubt: this incarnation is over
        self._damaged = False  # the database: nothing more is written into it
        self._installed = installed
        self._outdated = False  # the program was replaced under us
        self._judging = threading.Lock()  # held by the thread that finds out whether it was
        self._told = False  # to end
        self._last_work = time.monotonic()
        self._stays = stays
        self._maintain = maintain
        self._maintenance_due = threading.Event()
        self._engine = engine
        self._deliveries: Deliveries | None = None
        self._engine_due = 0.0  # when to ask whether somebody sends what it should deliver, monotonic seconds
        self._is_delivered = True  # as far as we know; where it is not so, we claim though the engine is up
        self.on_environment: Callable[[dict[str, str]], None] = lambda _: None

    def run(self, waker: wakeup.Waker | None = None) -> int:
        """Serve until drained: 0; 3 when our lease ended under us or the disk failed, and a new incarnation is needed.

        2 when the database is damaged.
        """
        self._register()
        waker = waker or wakeup.Waker(self._desk.project_id, self.incarnation, self._on_message)
        threads = [
            threading.Thread(target=self._keep_renewing, name="renew", daemon=True),
            threading.Thread(target=self.live.watchdog, args=(self._ended,), name="watchdog", daemon=True),
        ]
        maintenance = threading.Thread(target=self._keep_maintaining, name="maintain", daemon=True)
        slots = [
            threading.Thread(target=self._slot, name=f"slot-{n}", daemon=True) for n in range(self._slots)
        ]
        self._begin_deliveries()
        for thread in [*threads, *slots, maintenance]:
            thread.start()
        self._log.info("host_started", slots=self._slots, roles=list(self._roles), pid=os.getpid())
        while not self.is_draining():
            try:
                self._look_around(waker)
            except Exception as error:
                if not self.was_replaced(error):
                    raise
        if self._deliveries is not None:
            self._deliveries.close()
        self._drain(slots)
        waker.close()
        self._ended.set()
        self.live.poke()
        self._renew_now.set()
        self._maintenance_due.set()
        threads[0].join()
        maintenance.join(self._settings.drain_seconds)  # a kill is no worse: whoever comes next goes on
        if not self._fenced and not self._damaged:
            self._say_goodbye()
        wakeup.wake_daemon(self._desk.project_id)
        self._log.info("host_ended", fenced=self._fenced, damaged=self._damaged)
        if self._damaged:
            return DatabaseDamaged.exit_code
        return 3 if self._fenced else 0

    def _look_around(self, waker: wakeup.Waker) -> None:
        """Wait until there may be something to do, and have it done."""
        if not waker.wait(self._settings.reconcile_seconds) and self._is_orphan():
            self._draining.set()
        if self._installed is not None:
            self._installed.note_loaded()
        self._look_for_engine()
        self._wake_slots()
        self._look_for_leftovers()
        self._maintenance_due.set()

    def _say_goodbye(self) -> None:
        try:
            self._desk.bye(self.incarnation)
        except LifecycleError as error:  # the lease ends by itself
            self._log.warning("goodbye_not_said", error=error.what, why=error.why)

    def drain(self) -> None:
        """Ask for the end: safe to call from a signal handler."""
        self._told = True
        self._take_no_more()

    def _take_no_more(self) -> None:
        self._draining.set()
        self._wake_self()

    def look_for_work(self) -> None:
        """Have the slots ask for work, as a wake-up does."""
        self._wake_self()

    def is_draining(self) -> bool:
        return self._draining.is_set() or self.was_replaced()

    # the program under us

    def is_told(self) -> bool:
        """Whether somebody has asked for the end."""
        return self._told

    @property
    def begins_anew(self) -> bool:
        """Whether we have ended for the program alone, and another host has to go on."""
        return self._outdated and not self._told and not self._damaged

    def was_replaced(self, error: BaseException | None = None) -> bool:
        """Whether the program is another one than we were started from, also by an `error` that nothing else explains.

        Then we take no more: what a run of ours still has to load is of the other one.
        """
        if self._outdated or self._installed is None:
            return self._outdated
        by_error = error is not None and not isinstance(error, LifecycleError)
        with self._judging:
            if not self._outdated and (
                self._installed.has_other_files() if by_error else self._installed.is_replaced()
            ):
                self._outdated = True
                self._log.warning("program_replaced", error=str(error)[:500] if error else None)
                self._take_no_more()
        return self._outdated

    def _wake_self(self) -> None:
        wakeup.wake_host(self._desk.project_id, self.incarnation)

    def goes_on_in_session(self) -> bool:
        """Whether a report goes on with its own session alone, since the engine delivers the offers of others."""
        return self._deliveries is not None and not self._claims()

    def _begin_deliveries(self) -> None:
        if self._engine is None:
            return
        from workers.host.deliveries import Deliveries  # with the engine's library

        self._deliveries = Deliveries(
            self._engine,
            self._roles,
            self.incarnation,
            self._log,
            beside=not self._stays,
            free=lambda: self._slots - len(self.live.ids()),
            wake=self._wake_self,
        )
        self._deliveries.start()

    def _look_for_engine(self) -> None:
        """Nobody may send what the engine should deliver: the coordinator cannot reach it, or none leads."""
        now = time.monotonic()
        if self._deliveries is None or self._deliveries.is_away or now < self._engine_due:
            return
        self._engine_due = now + self._settings.reconcile_seconds
        try:
            self._is_delivered = self._desk.is_delivered()
        except LifecycleError as error:
            self._log.warning("engine_not_known", error=error.what, why=error.why)

    def _register(self) -> None:
        self._desk.register(
            self.incarnation,
            roles=self._roles,
            slots=self._slots,
            lease_seconds=self._settings.lease_seconds,
        )

    def _on_message(self, message: JsonObject) -> None:
        if message.get("type") == "runs":  # some run may not be ours any more
            self._renew_now.set()
        elif message.get("type") == "drain":
            if not self.was_replaced():  # else we go on as the other program
                self.drain()
        elif message.get("type") == "environment" and isinstance(message.get("values"), dict):
            self.on_environment(message["values"])

    def _is_orphan(self) -> bool:
        if self._stays or self.live.ids() or time.monotonic() - self._last_work < ORPHAN_SECONDS:
            return False
        return not self._desk.is_led()

    def _look_for_leftovers(self) -> None:
        try:
            self._leftovers.poll(time.monotonic() if self.live.ids() else self._last_work)
        except LifecycleError as error:
            self._log.warning("leftovers_not_seen", error=error.what, why=error.why)

    def _keep_maintaining(self) -> None:
        """Nothing that happens in it may end the host."""
        while self._maintain is not None and not self._ended.is_set():
            try:
                self._maintain(self._ended.is_set)
            except LifecycleError as error:
                self._log.warning("not_maintained", error=error.what, why=error.why)
            except Exception:
                self._log.exception("maintenance_broken")
            self._maintenance_due.wait()
            self._maintenance_due.clear()

    # the heartbeat

    def _deadline(self, asked: float) -> float:
        return asked + float(self._settings.lease_seconds - self._settings.watchdog_margin_seconds)

    def _first_deadline(self, row: Run) -> float:
        """Its lease is the host's at the moment of the claim, which may end before the next renewal: then it is renewed now.

        Leases count on the clock of this machine, so they compare with our own.
        """
        ends = float(row.lease_until / SECOND - self._settings.watchdog_margin_seconds)
        asked = time.monotonic()
        if ends - asked > self._settings.renew_seconds:
            return ends
        try:
            renewed = self._ask_renewal([*self.live.ids(), row.run])
        except LifecycleError as error:  # which the heartbeat meets, too
            self._log.warning("renewal_failed", error=error.what, why=error.why)
            return ends
        except Exception:
            self._log.exception("renewal_broken")
            return ends
        return ends if row.run in renewed.gone else self._deadline(asked)

    def _keep_renewing(self) -> None:
        while True:
            self._renew_now.wait(self._settings.renew_seconds)
            self._renew_now.clear()
            if self._ended.is_set():
                return
            try:
                self._renew()
            except StoreBroken as error:  # what this process has open is in doubt: a new one begins
                self._log.error("disk_failed", why=error.why)
                self._fenced = True
                self.live.stop_all("lease")
                self._take_no_more()
                return
            except DatabaseDamaged as error:
                self._leave(error)
                return
            except LifecycleError as error:  # the watchdog holds the deadline while the database is away
                self._log.warning("renewal_failed", error=error.what, why=error.why)
            except Exception as error:
                if not self.was_replaced(error):
                    self._log.exception("renewal_broken")

    def _renew(self) -> None:
        asked = time.monotonic()
        named = self.live.ids()
        renewed = self._ask_renewal(named)
        for run in named:
            if run in renewed.gone:
                self.live.stop(run, "revoked")
            else:
                self.live.extend(run, self._deadline(asked))
        if not renewed.alive and not self._fenced:
            self._log.error("host_lease_lost")
            self._fenced = True
            self._take_no_more()

    def _ask_renewal(self, runs: list[str]) -> Renewed:
        """Extend the lease of the host and of these runs. Raises what the desk raises."""
        return self._desk.renew(
            self.incarnation,
            runs,
            lease_seconds=self._settings.lease_seconds,
            draining=self._draining.is_set(),
        )

    def _leave(self, error: DatabaseDamaged) -> None:
        """Write no further into a damaged database; whoever started us looks at it, and says so."""
        self._log.error("database_damaged", why=error.why, fix=error.fix)
        self._damaged = True
        self.live.stop_all("lease")
        self._take_no_more()

    # the slots

    def _wake_slots(self) -> None:
        with self._offers:
            self._wakes += 1
            self._offers.notify_all()

    def _slot(self) -> None:
        following: Run | None = None
        has_ended = False  # a run of this slot: there may be room for what was refused to others
        while True:
            seen = self._wakes
            row = following or self._claim(None if has_ended else seen)
            following, has_ended = None, row is not None
            if row is not None:
                following = self._one(row)
                continue
            if self._draining.is_set():
                return
            if self._deliveries is not None:
                self._deliveries.look()
            with self._offers:
                self._offers.wait_for(lambda seen=seen: self._wakes != seen)  # type: ignore[misc]

    def _claim(self, seen: int | None) -> Run | None:
        """`seen`: the wake that we ask after; None where we ask since a run of ours has ended."""
        if self.is_draining():
            return None
        row = self._take_delivered()
        if row is not None or not self._claims():
            return row
        with self._asking:
            if self._draining.is_set() or (seen is not None and seen <= self._nothing):
                return None  # another slot has asked since, and nothing was left
            asked = self._wakes
            row = self._ask()
            if row is None:
                self._nothing = asked
            return row

    def _ask(self) -> Run | None:
        try:
            return self._desk.claim(self.incarnation, self._roles, new_run_id())
        except DatabaseDamaged as error:
            self._leave(error)
            return None
        except LifecycleError as error:
            self._log.warning("claim_failed", error=error.what, why=error.why)
            return None
        except Exception as error:
            if not self.was_replaced(error):
                self._log.exception("claim_broken")
            return None

    def _claims(self) -> bool:
        """Whether we ask for the oldest offer ourselves."""
        return self._deliveries is None or self._deliveries.is_away or not self._is_delivered

    def _take_delivered(self) -> Run | None:
        """The run of an offer that the engine has delivered; of those that others have claimed, none."""
        while self._deliveries is not None and (held := self._deliveries.next()) is not None:
            outcome, row = self._take(held.delivery)
            held.answer(outcome)
            self._deliveries.answered()
            if row is not None:
                return row
        return None

    def _take(self, found: Delivery) -> tuple[Outcome, Run | None]:
        from workers.host.deliveries import Outcome

        failpoints.hit("offer.delivered")
        try:
            taken = self._desk.take(self.incarnation, self._roles, new_run_id(), found.task, found.epoch)
        except DatabaseDamaged as error:
            self._leave(error)
            return Outcome.STANDS, None
        except LifecycleError as error:
            self._log.warning("claim_failed", error=error.what, why=error.why)
            return Outcome.STANDS, None
        except Exception as error:
            if not self.was_replaced(error):
                self._log.exception("claim_broken")
            return Outcome.STANDS, None
        if taken.run is not None:
            return Outcome.CLAIMED, taken.run
        return Outcome.STANDS if taken.stands else Outcome.GONE, None

    def _one(self, row: Run) -> Run | None:
        """One run in this slot. Nothing that happens in it may end the slot."""
        self._last_work = time.monotonic()
        live = self.live.add(row, self._first_deadline(row))
        log = self._log.bind(session=row.session_id, task=row.key, run=row.run[-8:])
        log.debug("run_opened", opened_by=row.opened_by, epoch=row.epoch)
        try:
            return self._execute(live)
        except LeaseLost:
            log.warning("run_lost", why=live.why)
        except DatabaseDamaged as error:
            self._leave(error)
        except LifecycleError as error:
            log.error("run_not_reported", error=error.what, why=error.why)
        except Exception:
            log.exception("run_broken")
        finally:
            self.live.remove(row.run)
            self._last_work = time.monotonic()
            self._maintenance_due.set()
        return None

    # the end

    def _drain(self, slots: list[threading.Thread]) -> None:
        self._log.info("draining", runs=len(self.live.ids()))
        failpoints.hit("host.draining")
        self._renew_now.set()  # say that we take no more
        self._wake_slots()
        stop_at = time.monotonic() + self._settings.drain_seconds
        for slot in slots:
            while slot.is_alive():
                if time.monotonic() >= stop_at:
                    self.live.stop_all("drained")  # each time: a claim may have been on its way
                self._wake_slots()
                slot.join(0.2)
