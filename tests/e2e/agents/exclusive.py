"""An agent that can be caught beside another one of its task: `exclusive.py PROBE`.

It writes start and stop with CLOCK_MONOTONIC to PROBE/log. Every process of it holds the task's lock, which the kernel
lets go of when the last one is dead: an agent that cannot have it says `overlap`. The first agent of a task works for
ever; in a session named so it is stubborn besides: it leaves a daemon behind, ignores SIGTERM and stops itself.
"""

import fcntl
import json
import os
import signal
import sys
import time


def note(what: str) -> None:
    line = {
        "at": time.clock_gettime(time.CLOCK_MONOTONIC),
        "what": what,
        "task": task,
        "run": run,
        "pid": os.getpid(),
    }
    os.write(log, json.dumps(line).encode() + b"\n")


def be_stubborn() -> None:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            time.sleep(300)
        os._exit(0)
    os.kill(os.getpid(), signal.SIGSTOP)


probe = sys.argv[1]
session, task, run, kind = (os.environ[f"LIFECYCLE_{name}"] for name in ("SESSION", "TASK", "RUN", "KIND"))
if kind == "critique":
    sys.exit(1)  # the built-in agent says what we do not
task = f"{session}.{task}"
log = os.open(f"{probe}/log", os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
lock = os.open(f"{probe}/{task}", os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o600)
try:
    fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
except BlockingIOError:
    note("overlap")
first = os.fstat(lock).st_size == 0
os.write(lock, b"x")
note("start")
if first and task.endswith(".RESEARCH-001"):
    if "stubborn" in session:
        be_stubborn()
    time.sleep(300)
time.sleep(0.3 if task.endswith(".RESEARCH-001") else 0)
note("stop")
sys.exit(1)
