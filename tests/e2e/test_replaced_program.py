"""The program is replaced under its coordinator and worker host while an agent is at work, and nobody gives a command."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from orchestrator.store.clock import process_start
from tests import invariants
from tests.conftest import Distributions
from tests.e2e.installed_versions import Edits, Installed, install, replace_with, wheel_of_checkout
from tests.e2e.test_bad_disk import Gate

KEY = "GATED_KEY"  # of an agent: handed over by a command, and kept in memory alone
LAST_IMPORT = "from workers.builtin.wishes import same_person\n"
# A module that a host loads once an agent has failed needs a name of one that it has loaded at its start.
NEEDS: Edits = {
    "workers/builtin/discovery.py": (
        LAST_IMPORT,
        f"{LAST_IMPORT}from orchestrator.domain.patterns import newer  # noqa: F401\n",
    )
}
HAS: Edits = {"orchestrator/domain/patterns.py": ("import re\n", "import re\n\nnewer = re.compile\n")}


@contextmanager
def at_the_gate(
    program: Path, folder: Path, reconcile_seconds: float = 0.5
) -> Iterator[tuple[Installed, Gate, str]]:
    """A project with a session whose first agent is at work, and stays so until the gate is opened."""
    gate = Gate(folder)
    settings = {"idle_exit_seconds": 3600, "drain_seconds": 60, "reconcile_seconds": reconcile_seconds}
    life = Installed(folder / "one" / "p", settings, gate.toml.replace("env = []", f'env = ["{KEY}"]'))
    life.use(program)
    try:
        yield life, gate, gate.start(life)
        invariants.check(life.database)
    finally:
        life.close()


@pytest.fixture(scope="module")
def new(distributions: Distributions, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return wheel_of_checkout(distributions, tmp_path_factory.mktemp("new"), {**NEEDS, **HAS})


@pytest.mark.parametrize("is_noticed", [True, False], ids=["host drains first", "agent ends first"])
def test_a_program_that_is_replaced_goes_on_as_the_new_one_and_no_attempt_counts(
    is_noticed: bool, distributions: Distributions, new: Path, tmp_path: Path
) -> None:
    program = install(distributions.wheel, tmp_path)
    with at_the_gate(program, tmp_path, 0.5 if is_noticed else 600) as (life, gate, session):
        ((coordinator, since),) = life.rows("SELECT pid, process_start FROM leases")
        ((host,),) = life.rows("SELECT pid FROM hosts")
        handed_over = life.run("resume", session, "--detach", env={KEY: "from another shell"})
        assert handed_over.code == 0, handed_over.err

        replace_with(new, program, tmp_path)
        # Whichever of the two looks first, the host drains: by its own look, or asked by the coordinator.
        said = {"daemon.jsonl": "program_replaced", "workers.jsonl": "draining"} if is_noticed else {}
        for name, event in said.items():
            log = life.folder / ".workflow" / "logs" / name
            life.wait(lambda log=log, event=event: f'"{event}"' in log.read_text(), f"{name}: {event}")  # type: ignore[misc]
        assert is_noticed or "program_replaced" not in life.logs()
        gate.open()

        life.wait(lambda: life.status(session)[0] == "completed", "the session ends", 120)
        assert life.story("RESEARCH-001", session) == ["released", "completed"]
        ((why,),) = life.rows("SELECT error FROM runs WHERE outcome = 'released'")
        assert "the program was replaced under the worker host: ImportError" in why
        assert {task: life.story(task, session)[-1] for task in life.tasks(session)} == dict.fromkeys(
            life.tasks(session), "completed"
        )
        assert life.rows("SELECT sum(attempts) FROM tasks") == [(0,)]
        assert process_start(host) is None
        assert life.rows("SELECT pid, process_start, epoch FROM leases") == [(coordinator, since, 2)]
        assert "host_keeps_dying" not in life.logs()
        ((next_host,),) = life.rows("SELECT pid FROM hosts WHERE pid <> ?", host)
        assert f"{KEY}=from another shell" in Path(f"/proc/{next_host}/environ").read_text().split("\0")


def test_an_import_that_fails_in_a_program_that_was_not_replaced_is_a_failed_attempt(
    distributions: Distributions, tmp_path: Path
) -> None:
    program = install(wheel_of_checkout(distributions, tmp_path, NEEDS), tmp_path)
    with at_the_gate(program, tmp_path) as (life, gate, session):
        gate.open()

        life.wait(lambda: life.status(session)[0] == "paused", "the session is paused")
        assert set(life.story("RESEARCH-001", session)) == {"failed"}
        ((attempts,),) = life.rows("SELECT attempts FROM tasks WHERE key = 'RESEARCH-001'")
        assert attempts == len(life.story("RESEARCH-001", session)) > 1
        assert "program_replaced" not in life.logs()
