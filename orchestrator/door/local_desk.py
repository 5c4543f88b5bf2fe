"""The desk where host and database are in one process: the store itself, and nothing in between."""

from __future__ import annotations

import copy
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path

from orchestrator import failpoints
from orchestrator.domain.errors import LeaseLost, StoreBroken
from orchestrator.domain.json_types import Json, JsonObject
from orchestrator.door.kept_contents import KeptContents
from orchestrator.door.local_work_desk import LocalWorkDesk
from orchestrator.door.run_data import Earlier, Files, GivenCritique, Known, Renewed, RunProducts, Taken
from orchestrator.lifecycle import checkpoints, noted_calls, report, specified
from orchestrator.lifecycle.finished_run import Ended, Report, Reported
from orchestrator.lifecycle.noted_calls import CallBegin, CallEnd, CallEnded, CallHandle, NoBudget
from orchestrator.lifecycle.specified import Specified
from orchestrator.store import (
    agent_tokens,
    artifacts,
    checks,
    claims,
    decisions,
    edits,
    engines,
    files,
    leases,
    records,
    sessions,
    tasks,
)
from orchestrator.store.backends.sqlite_integrity import LogWatch
from orchestrator.store.checks import Check, Link
from orchestrator.store.clock import process_start
from orchestrator.store.rows import AgentCall, RateLimit, Run, StoredCritique, Task
from orchestrator.store.store import Store, Tx

MOST_BYTES = 1024 * 1024  # of contents that are kept: those of some ten sessions


class LocalDesk(LocalWorkDesk):
    """`Desk` on a store of this process."""

    def __init__(self, store: Store) -> None:
        super().__init__(store)
        self._log_watch = LogWatch(store.file)
        self._contents = KeptContents(MOST_BYTES)

    def on(self, store: Store) -> LocalDesk:
        """The same desk, which asks that store."""
        found = copy.copy(self)
        found._store = store
        return found

    # the host

    def register(self, host: str, *, roles: tuple[str, ...], slots: int, lease_seconds: float) -> None:
        report.prepare()
        pid = os.getpid()
        started = process_start(pid) or 0
        self._store.write(
            lambda tx: leases.register_host(
                tx, host, pid=pid, started=started, roles=roles, slots=slots, lease_seconds=lease_seconds
            )
        )

    def renew(self, host: str, runs: Iterable[str], *, lease_seconds: float, draining: bool) -> Renewed:
        named = list(runs)
        try:
            self._log_watch.check()
            alive, gone = self._store.write(
                lambda tx: leases.renew(tx, host, named, lease_seconds, draining=draining), use_ballast=True
            )
        except (
            StoreBroken
        ) as error:  # what this process has open is in doubt: nothing is acknowledged any more
            self._store.give_up(error.why)
            raise
        return Renewed(alive, tuple(gone))

    def bye(self, host: str) -> None:
        self._store.write(lambda tx: leases.end_host(tx, host))

    def claim(
        self,
        host: str,
        roles: tuple[str, ...],
        run: str,
        *,
        has_room: Callable[[Tx], bool] = lambda _: True,
    ) -> Run | None:
        """`has_room`: asked in the unit that claims; where it says no, nothing is."""

        def is_there(tx: Tx) -> bool:
            known = claims.claimed_soon(tx, run, host)
            return tasks.oldest_offer(tx, roles) is not None or known() is not None

        if not self._store.read(is_there):  # most often there is nothing, and then nobody waits for a writer
            return None
        failpoints.hit("claim.before")
        row = self._store.write(
            lambda tx: (
                (claims.claimed(tx, run, host) or claims.claim(tx, host, roles, run))
                if has_room(tx)
                else None
            )
        )
        failpoints.hit("claim.after")
        return row

    def take(
        self,
        host: str,
        roles: tuple[str, ...],
        run: str,
        task: int,
        epoch: int,
        *,
        has_room: Callable[[Tx], bool] = lambda _: True,
    ) -> Taken:
        """`has_room`: as that of `claim`."""

        def session_of(tx: Tx) -> str | None:
            known = tasks.run(tx, run)
            if known is not None:
                return known.session_id
            row = tasks.standing(tx, task, epoch)
            return None if row is None else row.session_id

        def unit(tx: Tx) -> Taken:
            if (known := claims.claimed(tx, run, host)) is not None:
                return Taken(known)
            if not has_room(tx):
                return Taken(None, stands=tasks.standing(tx, task, epoch) is not None)
            return Taken(*claims.claim_offer(tx, host, roles, run, (task, epoch)))

        session = self._store.read(session_of)
        if session is None:
            return Taken(None)
        failpoints.hit("claim.before")
        taken = self._store.write(unit, about=session)
        failpoints.hit("claim.after")
        return taken

    def is_delivered(self) -> bool:
        return self._store.read(engines.delivers)

    def over(self, runs: Iterable[str]) -> list[str]:
        named = list(runs)
        return self._store.read(lambda tx: [run for run in named if tasks.is_over(tx, run)]) if named else []

    def is_led(self) -> bool:
        return self._store.read(leases.leader) is not None

    def agent_token(self, run: Run) -> str:
        def make(tx: Tx) -> str:
            claims.assert_lease(tx, run.run, run.host)
            return agent_tokens.add(tx, run.run)

        return self._store.write(make, about=run.session_id)

    # what a run knows

    def attempts_before(self, run: Run) -> list[str]:
        return self._store.read(lambda tx: tasks.runs_before(tx, run.id, run.epoch))

    def context(self, run: Run) -> Known:
        edits.adopt(self._store, run.session_id)

        def known(tx: Tx) -> Known:
            of_session = (
                *(sessions.get, sessions.snapshot, artifacts.newest),
                *(records.wisdom_of, records.verdicts_of, decisions.decisions_of),
            )
            accumulator = partial(records.accumulator_of, tx, run.session_id, run.role)
            tx.foresee(accumulator, *(partial(ask, tx, run.session_id) for ask in of_session))
            session = sessions.get(tx, run.session_id)
            assert session is not None
            return Known(
                session=session,
                snapshot=sessions.snapshot(tx, run.session_id),
                artifacts={found.path: found for found in artifacts.newest(tx, run.session_id)},
                wisdom=records.wisdom_of(tx, run.session_id),
                accumulator=accumulator(),
                verdicts=records.verdicts_of(tx, run.session_id),
                decisions=decisions.decisions_of(tx, run.session_id),
            )

        return self._store.read(known)

    def content(self, sha256: str) -> bytes:
        """Read once: most of what a run reads, an earlier one of this process has read."""
        body = self._contents.get(sha256)
        if body is None:
            body = self._store.read(lambda tx: artifacts.body(tx, sha256))
            self._contents.keep(body)
        return body

    def texts_of(self, session: str, path: str) -> list[str]:
        return self._store.read(
            lambda tx: [
                artifacts.body(tx, each.sha256).decode("utf-8", "replace")
                for each in artifacts.versions(tx, session, path)
            ]
        )

    def tasks(self, session: str) -> Sequence[Task]:
        return self._store.read(lambda tx: tasks.all_tasks(tx, session))

    def calls(self, session: str) -> list[AgentCall]:
        return self._store.read(lambda tx: records.calls_of(tx, session))

    def specified(self, session: str) -> Specified | None:
        return self._store.read(lambda tx: specified.specified(tx, session))

    def changed_since_approval(self, session: str) -> JsonObject | None:
        return self._store.read(lambda tx: checkpoints.changed_since_approval(tx, session, {}))

    def is_ours(self, file: Path) -> bool:
        return edits.is_ours(self._store, file)

    # what a run does

    def phase(self, run: Run, name: str) -> None:
        self._store.write(lambda tx: claims.note_phase(tx, run.run, run.host, name), about=run.session_id)

    def begin_call(self, run: Run, call: CallBegin) -> CallHandle | RateLimit | NoBudget:
        def begin(tx: Tx) -> CallHandle | RateLimit | NoBudget:
            claims.assert_lease(tx, run.run, run.host)
            return noted_calls.begin(tx, run, call)

        return self._store.write(begin, about=run.session_id)

    def end_call(self, run: Run, call: CallHandle, how: CallEnd) -> CallEnded:
        return self._store.write(lambda tx: noted_calls.end(tx, run, call, how), about=run.session_id)

    def produced_before(self, run: Run, input_digest: str) -> Earlier | None:
        def earlier(tx: Tx) -> Earlier | None:
            found = artifacts.produced_before(tx, run.id, input_digest)
            if found is None:
                return None
            made = {
                product.path: (artifacts.body(tx, product.sha256), product.kind)
                for product in artifacts.products_of(tx, found.id)
                if product.kind != "discussion"
            }
            return Earlier(found.id, found.produced, made)

        return self._store.read(earlier)

    def produced(self, run: Run, made: RunProducts) -> None:
        self._keep_large(run, made.files)

        def register(tx: Tx) -> None:
            claims.note_produced(tx, run.run, run.host, made.input_digest, made.agent, made.note)
            artifacts.produce(tx, run.run, made.files)
            for reply in () if made.earlier is None else records.critiques_of(tx, made.earlier):
                records.add_critique(tx, run.run, reply.perspective, reply.agent, reply.reply, reply.notes)

        self._store.write(register, about=run.session_id)

    def add_record(self, run: Run, files: Files) -> None:
        self._keep_large(run, files)

        def add(tx: Tx) -> None:
            claims.assert_lease(tx, run.run, run.host)
            artifacts.produce(tx, run.run, files)

        self._store.write(add, about=run.session_id)

    def _keep_large(self, run: Run, made: Files) -> None:
        """Write what no row holds before the unit that refers to it. Raises LeaseLost, UnsafePath, and writes nothing."""
        for path in made:
            files.clean(path)
        is_large = any(len(body) > artifacts.IN_DATABASE for body, _ in made.values())
        if is_large and self._store.read(lambda tx: claims.open_run(tx, run.run, run.host)) is None:
            raise LeaseLost(run=run.run)
        for body, _ in made.values() if self._store.file is not None else ():
            artifacts.keep_large(self._store.workflow, body)

    def critiques(self, run: str) -> list[StoredCritique]:
        return self._store.read(lambda tx: records.critiques_of(tx, run))

    def keep_critiques(self, run: Run, replies: Sequence[GivenCritique]) -> None:
        def keep(tx: Tx) -> None:
            claims.assert_lease(tx, run.run, run.host)
            for each in replies:
                records.add_critique(tx, run.run, each.perspective, each.agent, each.reply, list(each.notes))

        self._store.write(keep, about=run.session_id)

    def report(self, done: Report, roles: tuple[str, ...], *, draining: bool) -> Reported:
        return self._store.write(
            lambda tx: report.complete_once(tx, done, roles, draining=draining), about=done.row.session_id
        )

    def end(self, ended: Ended) -> None:
        self._store.write(lambda tx: report.end_once(tx, ended), about=ended.row.session_id, use_ballast=True)

    # what was found about trees

    def check(self, session: str, tree: str, kind: str, keys: Sequence[str]) -> dict[str, Check]:
        def known(tx: Tx) -> dict[str, Check]:
            found = ((key, checks.check_of(tx, session, tree, kind, key)) for key in keys)
            return {key: each for key, each in found if each is not None}

        return self._store.read(known)

    def checks(self, session: str) -> list[Check]:
        return self._store.read(lambda tx: checks.checks_of(tx, session))

    def add_check(
        self,
        run: Run,
        tree: str,
        kind: str,
        key: str,
        outcome: str,
        data: Mapping[str, Json],
        seconds: float = 0.0,
    ) -> Check:
        return self._store.write(
            lambda tx: checks.add_check(tx, run, tree, kind, key, outcome, data, seconds),
            about=run.session_id,
        )

    def links(self, session: str) -> list[Link]:
        return self._store.read(lambda tx: checks.links_of(tx, session))
