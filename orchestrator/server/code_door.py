"""Commits on their way: what a run elsewhere is lent, and what it hands in (`door/code_carrier.py`).

    work/lent/<run>/<sha256>       a bundle that was made for a run, until the run is over
    work/incoming/<run>/<sha256>   what has come of a bundle, until it is taken in

Git runs in the workers' program, one process a question. A question that takes longer than a request may is answered with
503, and goes on; asked again, it is the same. The ids of runs are names of folders: they are looked up first.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import threading
from collections.abc import Callable, Hashable
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import TypeVar

from pydantic import ValidationError

from orchestrator import failpoints
from orchestrator.dispatch.asking import have_done
from orchestrator.domain import errors
from orchestrator.domain.elsewhere import WHY_HERE, needs_commits
from orchestrator.domain.json_types import JsonObject
from orchestrator.domain.patterns import expression
from orchestrator.domain.plan_marks import PLANS
from orchestrator.door.code_carrier import (
    LARGEST_BUNDLE,
    LARGEST_PART,
    MOST_HAD,
    PART_BYTES,
    RECEIVED,
)
from orchestrator.door.code_questions import HandedIn, OfRun, Part, Wanted, WantedPart
from orchestrator.door.local_desk import LocalDesk
from orchestrator.door.wire import DoorRefused, NotReadable
from orchestrator.lifecycle.fix_rounds import REBASE
from orchestrator.log import Logger
from orchestrator.server.admission import own_run, revoked
from orchestrator.store import host_tokens, sessions
from orchestrator.store.rows import HostToken, Run, Session
from orchestrator.store.store import Store, Tx

WAIT_SECONDS = 20.0  # for git, in one request
JOBS = 2  # of git at a time
_ID = expression(r"[0-9a-f]{40}(?:[0-9a-f]{24})?\Z")
_DIGEST = expression(r"[0-9a-f]{64}\Z")
Q = TypeVar("Q", bound=OfRun)


class StillAtIt(errors.StoreError):
    """Git is not ready yet."""

    remedy = "ask again: it goes on meanwhile"


class CodeDoor:
    """Answers what is asked of commits; only of a host's own open run that works on them."""

    def __init__(self, store: Store, local: LocalDesk, log: Logger) -> None:
        self._store = store
        self._local = local
        self._log = log
        self._work = store.workflow / "work"
        self._pool = ThreadPoolExecutor(JOBS, thread_name_prefix="git")
        self._jobs: dict[Hashable, Future[JsonObject]] = {}
        self._lock = threading.Lock()

    def answer(self, token: HostToken, name: str, body: bytes) -> bytes:
        """Raises DoorRefused, LeaseLost, NotReadable, StillAtIt, and what git does."""
        return {
            "lend": self._lend,
            "lent-part": self._lent_part,
            "part": self._part,
            "hand-in": self._hand_in,
        }[name](token, body)

    # what is lent

    def _lend(self, token: HostToken, body: bytes) -> bytes:
        asked = _read(Wanted, body)
        if len(asked.have) > MOST_HAD or not all(map(_ID.match, asked.have)):
            raise NotReadable(why="commits are named by their ids, at most 256 of them")
        run, session = self._own(token, asked)
        self._forget_closed()
        told = self._job(("lend", run.run, tuple(asked.have)), lambda: self._lent(run, session, asked.have))
        return json.dumps(told).encode()

    def _lent(self, run: Run, session: Session, have: list[str]) -> JsonObject:
        folder = self._work / "lent" / run.run
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        for earlier in folder.iterdir():  # a run has one at a time, whatever it says that it has
            earlier.unlink()
        asked = {
            "session": run.session_id,
            "run": run.run,
            "options": session.options,
            "created_at": session.created_at,
            "begins": run.prefix == PLANS,
            "attempts": self._local.attempts_before(run),
            "onto": _onto(run),
            "have": have,
        }
        told = self._git("lend", folder, asked)
        self._log.info("code_lent", task=run.key, run=run.run[-8:], bytes=told["bytes"])
        return told

    def _lent_part(self, token: HostToken, body: bytes) -> bytes:
        asked = _read(WantedPart, body)
        run, _ = self._own(token, asked)
        file = self._work / "lent" / run.run / _digest(asked.sha256)
        if not file.is_file():
            raise NotReadable("there is no such bundle", why="it was made for no run that is open")
        with file.open("rb") as bundle:
            bundle.seek(max(0, asked.offset))
            return bundle.read(PART_BYTES)

    # what is handed in

    def _part(self, token: HostToken, body: bytes) -> bytes:
        """How many bytes of it are here. A part that is here already is passed over, and so is one that is too early."""
        part = _read(Part, body)
        run, _ = self._own(token, part)
        if part.offset < 0 or part.offset + len(part.body) > LARGEST_BUNDLE:
            raise NotReadable(
                "the bundle is too large",
                why=f"at most {LARGEST_BUNDLE >> 20} MiB are taken, with all its parts",
            )
        if len(part.body) > LARGEST_PART:
            raise NotReadable(
                "the part is too large", why=f"at most {LARGEST_PART >> 10} KiB are taken at a time"
            )
        file = self._incoming(run, part.sha256)
        with self._lock:
            for other in file.parent.iterdir():  # a run hands in one at a time
                if other.is_file() and other != file:
                    other.unlink()
            here = file.stat().st_size if file.is_file() else 0
            if part.offset <= here < part.offset + len(part.body):
                with file.open("r+b" if here else "wb") as bundle:
                    bundle.seek(part.offset)
                    here = part.offset + bundle.write(part.body)
        return json.dumps({"bytes": here}).encode()

    def _hand_in(self, token: HostToken, body: bytes) -> bytes:
        asked = _read(HandedIn, body)
        if not all(map(_ID.match, (asked.base, asked.commit, asked.tree))):
            raise NotReadable("commits and trees are named by their ids")
        run, _ = self._own(token, asked)
        known = self._local.check(run.session_id, asked.tree, RECEIVED, (asked.commit,)).get(asked.commit)
        if known is None or known.data["base"] != asked.base or known.run_id != run.run:
            self._job(("hand-in", run.run, asked.sha256), lambda: self._taken_in(run, asked))
        return b"{}"

    def _taken_in(self, run: Run, asked: HandedIn) -> JsonObject:
        file = self._incoming(run, asked.sha256)
        if not file.is_file():
            raise NotReadable("nothing of the bundle has come", why=asked.sha256[:12])
        with file.open("rb") as bundle:
            found = hashlib.file_digest(bundle, "sha256").hexdigest()
        if found != asked.sha256:
            file.unlink()
            raise NotReadable(
                "the bundle is not whole", why=f"its digest is {found[:12]}, not {asked.sha256[:12]}"
            )
        offered = {
            "session": run.session_id,
            "task": run.key,
            "runs": [run.run, *self._local.attempts_before(run)],
            "run": run.run,
            "base": asked.base,
            "commit": asked.commit,
            "tree": asked.tree,
            "onto": _onto(run),
        }
        # Its session: a fork of it has these rows, too, and a store of its own.
        facts: JsonObject = {"base": asked.base, "run": run.run, "session": run.session_id}
        try:
            self._git("take-in", file, offered)
            failpoints.hit("code.taken")
            self._local.add_check(run, asked.tree, RECEIVED, asked.commit, "passed", facts)
            failpoints.hit("code.received")
        except errors.StoreError:
            raise  # it is asked for again, without its parts
        except errors.LifecycleError:
            file.unlink(missing_ok=True)
            raise
        file.unlink(missing_ok=True)
        self._log.info("code_received", task=run.key, run=run.run[-8:], commit=asked.commit[:12])
        return {}

    def _incoming(self, run: Run, sha256: str) -> Path:
        folder = self._work / "incoming" / run.run
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        return folder / _digest(sha256)

    # both

    def _own(self, token: HostToken, asked: OfRun) -> tuple[Run, Session]:
        """Raises DoorRefused for a run without commits, LeaseLost for one that is not the host's own and open."""

        def read(tx: Tx) -> tuple[Run, Session]:
            if not host_tokens.is_valid(tx, token.name):
                raise revoked(token)
            run = own_run(tx, token, asked.run, asked.host)
            session = sessions.get(tx, run.session_id)
            assert session is not None
            return run, session

        run, session = self._store.read(read)
        if not needs_commits(run.role, run.prefix):
            raise DoorRefused(f"{run.key} works on no commits", why=WHY_HERE)
        return run, session

    def _git(self, verb: str, file: Path, given: JsonObject) -> JsonObject:
        return have_done(verb, self._store.workflow.parent, "--file", str(file), given=json.dumps(given))

    def _job(self, key: Hashable, do: Callable[[], JsonObject]) -> JsonObject:
        """The answer of what is done once, however often it is asked for meanwhile. Raises StillAtIt."""
        with self._lock:
            job = self._jobs.get(key)
            if job is None:
                job = self._jobs[key] = self._pool.submit(do)
        try:
            return job.result(WAIT_SECONDS)
        except TimeoutError:
            if not job.done():
                raise StillAtIt from None
            raise
        finally:
            if job.done():
                with self._lock:
                    self._jobs.pop(key, None)

    def _forget_closed(self) -> None:
        """Remove what is left of runs that are over."""
        for folder in (self._work / "lent", self._work / "incoming"):
            names = [each.name for each in folder.iterdir()] if folder.is_dir() else []
            for name in self._local.over(names):
                shutil.rmtree(folder / name, ignore_errors=True)


def _onto(run: Run) -> str | None:
    """The commit of the user's that the task merges."""
    rebase = run.payload.get(REBASE)
    return None if rebase is None else str(rebase["onto"])


def _digest(sha256: str) -> str:
    if not _DIGEST.match(sha256):
        raise NotReadable("a bundle is named by its SHA-256", why=sha256[:80])
    return sha256


def _read(model: type[Q], body: bytes) -> Q:
    """Raises NotReadable."""
    try:
        return model.model_validate_json(body)
    except ValidationError as error:
        faults = error.errors(include_url=False, include_input=False, include_context=False)
        told = (f"{'.'.join(map(str, each['loc'])) or 'body'}: {each['msg']}" for each in faults[:5])
        raise NotReadable(why="; ".join(told)) from error
