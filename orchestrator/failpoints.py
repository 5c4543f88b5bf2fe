"""Named places where a test stops or kills the process; nothing unless LIFECYCLE_FAILPOINT is set.

LIFECYCLE_FAILPOINT=`name=kill` ends the process there with SIGKILL; `name=wait:PATH` writes a line to the FIFO or file
PATH and blocks for ever, so that the test's own signal lands exactly there; `name=stop:PATH` makes that file and stops the
process until it is continued, once among all that get there. `@n` after the name takes the n-th visit.
"""

from __future__ import annotations

import os
import signal
import threading
from collections import Counter
from contextlib import suppress

NAMES = (
    "start.before_commit",
    "start.after_commit",
    "beat.before_commit",
    "beat.after_commit",
    "claim.before",
    "claim.after",
    "context.loaded",
    "agent.called",
    "produce.done",
    "produced.registered",
    "discuss.reply_stored",
    "discuss.done",
    "report.before_commit",
    "report.after_commit",
    "advance.before_next",
    "projector.before_rename",
    "projector.after_rename",
    "projector.before_mark",
    "reap.before_commit",
    "host.draining",
)

COMMAND_NAMES = (  # passed only by a command that changes a session that is there
    "command.before_commit",
    "command.after_commit",
)

GIT_NAMES = (  # passed only by work in private trees
    "tree.row",
    "tree.made",
    "tree.ready",
    "snap.objects",
    "snap.ref",
    "candidate.row",
    "land.ticket",
    "land.merged",
    "head.stored",
    "head.published",
    "tree.retired",
    "tree.removed",
)

FORK_NAMES = (  # passed only by `fork`
    "fork.store_made",
    "fork.objects_copied",
    "fork.laid_out",
    "fork.before_commit",
    "fork.after_commit",
)

BUILD_NAMES = (  # passed only by an agent's work in a tree and its checks
    "setup.done",
    "base.tested",
    "agent.worked",
    "tests.ran",
    "checks.stored",
)

CODE_NAMES = (  # passed only where commits travel: by a host elsewhere, and by the server
    "code.lent",
    "code.handed_in",
    "code.taken",
    "code.received",
)

FRONTEND_NAMES = (  # passed only by an audit of a frontend that a browser looks at
    "browser.seen",
)

ENGINE_NAMES = (  # passed only where an engine delivers offers
    "relay.sent",
    "offer.delivered",
)

FLEET_NAMES = (  # passed only by operations across cells: before and after what each does
    "fleet.leave.before",
    "fleet.leave.after",
    "fleet.carry.before",
    "fleet.carry.rows",
    "fleet.carry.after",
    "fleet.let_go.before",
    "fleet.let_go.after",
    "fleet.arrive.before",
    "fleet.arrive.after",
    "fleet.enter.before",
    "fleet.enter.after",
    "fleet.undo.before",
    "fleet.undo.after",
    "fleet.begin.before",
    "fleet.begin.after",
    "fleet.mark.before",
    "fleet.mark.after",
    "fleet.halt.before",
    "fleet.halt.after",
    "fleet.go_on.before",
    "fleet.go_on.after",
)

ADOPT_NAMES = (  # passed only by the move to a server
    "adopt.copied",
    "adopt.retired",
    "adopt.named",
)

MIRROR_NAMES = (  # passed only by a mirror of a person's
    "mirror.before_send",
    "mirror.after_send",
    "mirror.clash_noted",
    "mirror.clash_kept",
    "mirror.sent",
    "mirror.pending",
    "mirror.draft_half",
    "mirror.draft_written",
    "mirror.placed",
    "mirror.replaced_noted",
    "mirror.replaced_kept",
    "mirror.written",
    "mirror.log_written",
    "mirror.done",
)

_visits: Counter[str] = Counter()
_lock = threading.Lock()


def hit(name: str) -> None:
    """Pass the place `name`; returns unless a test planted something there."""
    planted = os.environ.get("LIFECYCLE_FAILPOINT")
    if planted is None:
        return
    place, _, action = planted.partition("=")
    place, _, nth = place.partition("@")
    if place != name:
        return
    with _lock:
        _visits[name] += 1
        if _visits[name] != int(nth or 1):
            return
    _act(action)


def _act(action: str) -> None:
    kind, _, path = action.partition(":")
    if kind == "stop":
        with suppress(FileExistsError), open(path, "x") as announce:  # noqa: PTH123 - without importing pathlib
            announce.write(f"{os.getpid()}\n")
            announce.flush()
            signal.pthread_kill(
                threading.get_ident(), signal.SIGSTOP
            )  # to the process, this thread may go on for a while
        return
    if kind == "wait":
        with open(path, "a") as announce:  # noqa: PTH123 - may be a FIFO, whose opening must block
            announce.write(f"{os.getpid()}\n")
        threading.Event().wait()
    os.kill(os.getpid(), signal.SIGKILL)
    raise AssertionError("a killed process goes on")
