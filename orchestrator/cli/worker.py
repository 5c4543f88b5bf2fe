"""worker: a worker host in the foreground."""

from __future__ import annotations

import os
import sys
from typing import Annotated

from orchestrator.cli.declaring import typer
from orchestrator.cli.opening import project_of
from orchestrator.cli.options import ProjectOption


def worker(
    slots: Annotated[
        int | None, typer.Option("--slots", min=1, max=256, help="Number of tasks to run at the same time.")
    ] = None,
    project: ProjectOption = None,
) -> None:
    """Run a worker host in the foreground; on SIGTERM it finishes its runs and exits."""
    from orchestrator.dispatch.local import child_environment, module_command
    from orchestrator.project import open_for_writing, read_settings

    home = project_of(project)
    settings = read_settings(home)
    open_for_writing(home, settings).close()
    command = module_command(
        "workers", "serve", "--project", str(home.root), "--slots", str(slots or settings.slots)
    )
    os.execve(sys.executable, command, child_environment())  # noqa: S606 - our own interpreter and arguments


def register(app: typer.Typer) -> None:
    app.command()(worker)
