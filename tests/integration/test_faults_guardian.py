"""A guardian that can open nothing: its call ends with a reason, and nobody is left (docs/faults.md)."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
EVERY_LIMIT = """
import json, os, resource, sys
from pathlib import Path
from orchestrator.domain.errors import AgentUnavailable
from workers.agents.programs.process import GuardedProcess, agent_environment
from workers.host.marked_processes import marked
from workers.agents.protocol import Timeouts
soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
timeouts = Timeouts(start=None, silence=None, turn=None, total=None)
env = agent_environment(os.environ, [], {})
seen = {}
for allowed in range(6, 20):
    open_before = len(os.listdir("/proc/self/fd"))
    resource.setrlimit(resource.RLIMIT_NOFILE, (allowed, hard))
    try:
        with GuardedProcess(
            ["/bin/sh", "-c", "echo answer"], cwd=Path(sys.argv[1]), env=env, stdin=b"", timeouts=timeouts,
            run=f"run-{allowed}", lease_seconds=60, run_dir=Path(sys.argv[1]),
        ) as process:
            ended = process.wait(30)
            resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
            seen[allowed] = ended.ended_by + " " + ended.error
    except AgentUnavailable as refused:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
        seen[allowed] = "refused " + refused.why
    assert marked("LIFECYCLE_RUN", f"run-{allowed}") == [], allowed
    assert len(os.listdir("/proc/self/fd")) == open_before, allowed
print(json.dumps(seen))
"""


def test_a_guardian_without_descriptors_is_told_as_an_error_of_the_call_and_leaves_nobody(
    tmp_path: Path,
) -> None:
    done = subprocess.run(
        [sys.executable, "-c", EVERY_LIMIT, str(tmp_path)],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=90,
    )

    assert done.returncode == 0, done.stderr
    ends = list(json.loads(done.stdout).values())
    assert "Too many open files" in ends[0]
    assert any(end.startswith("guardian_died") for end in ends), ends
    assert ends[-1] == "exited "
    assert {end.split()[0] for end in ends} <= {"refused", "guardian_died", "spawn_failed", "exited"}
