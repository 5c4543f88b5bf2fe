"""The carrier of commits where the project's machine is another one: bundles in parts, asked again until they are there."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from pathlib import Path

from orchestrator.domain.errors import LeaseLost
from orchestrator.door.code_carrier import (
    LARGEST_BUNDLE,
    MOST_HAD,
    PART_BYTES,
    Lent,
)
from orchestrator.door.code_questions import HandedIn, Part, Wanted, WantedPart
from orchestrator.door.wire import NotReadable
from orchestrator.store.rows import Run

PATIENCE_SECONDS = 600.0  # within which a bundle was made, or taken in
Ask = Callable[
    [str, str, bytes, float, Callable[[], bool]], bytes
]  # run, operation, question, patience, whether to give up


class HttpCode:
    """`CodeCarrier`; `ask` repeats a question until it is answered."""

    def __init__(self, ask: Ask) -> None:
        self._ask = ask

    def lend(self, run: Run, have: Sequence[str], to: Path, is_over: Callable[[], bool]) -> Lent:
        """Raises NotReadable for a bundle that is not what was promised."""
        wanted = Wanted(run=run.run, host=run.host, have=list(have)[:MOST_HAD])
        answer = self._ask(run.run, "lend", wanted.model_dump_json().encode(), PATIENCE_SECONDS, is_over)
        try:
            lent = Lent(**json.loads(answer))
        except (ValueError, TypeError) as error:
            raise NotReadable(why=str(error)) from error
        if lent.sha256 is not None:
            self._download(run, lent.sha256, lent.bytes, to, is_over)
        return lent

    def _download(self, run: Run, sha256: str, size: int, to: Path, is_over: Callable[[], bool]) -> None:
        digest = hashlib.sha256()
        with to.open("wb") as file:
            while file.tell() < size:
                if is_over():
                    raise LeaseLost(run=run.run)
                part = WantedPart(run=run.run, host=run.host, sha256=sha256, offset=file.tell())
                body = self._ask(
                    run.run, "lent-part", part.model_dump_json().encode(), PATIENCE_SECONDS, is_over
                )
                if not body:
                    break
                digest.update(body)
                file.write(body)
        if digest.hexdigest() != sha256:
            to.unlink()
            raise NotReadable("a bundle is not what was promised", why=f"its digest is not {sha256[:12]}")

    def hand_in(self, run: Run, bundle: Path, base: str, commit: str, tree: str) -> None:
        """Raises NotReadable for one that is too large, before anything is sent."""
        size = bundle.stat().st_size
        if size > LARGEST_BUNDLE:
            raise NotReadable(
                "the change is too large to be handed in",
                why=f"its bundle has {size >> 20} MiB, at most {LARGEST_BUNDLE >> 20} are taken",
                fix="leave out files that are made by programs; a host of the project's machine has no such limit",
            )
        with bundle.open("rb") as file:
            sha256 = hashlib.file_digest(file, "sha256").hexdigest()
            file.seek(0)
            while body := file.read(PART_BYTES):
                part = Part(
                    run=run.run, host=run.host, sha256=sha256, offset=file.tell() - len(body), body=body
                )
                held = json.loads(
                    self._ask(run.run, "part", part.model_dump_json().encode(), PATIENCE_SECONDS, _never)
                )
                file.seek(min(int(held["bytes"]), size))  # where an upload that was cut off goes on
        given = HandedIn(run=run.run, host=run.host, sha256=sha256, base=base, commit=commit, tree=tree)
        self._ask(run.run, "hand-in", given.model_dump_json().encode(), PATIENCE_SECONDS, _never)


def _never() -> bool:
    return False
