"""server: lets worker hosts on other machines work for this project."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Annotated

from orchestrator.cli.declaring import typer
from orchestrator.cli.opening import project_of
from orchestrator.cli.options import ProjectOption
from orchestrator.cli.output import flush, note, say
from orchestrator.domain.errors import LifecycleError

PORT = 8471
LOOPBACK = "127.0.0.1"


def server(
    bind: Annotated[
        str, typer.Option("--bind", metavar="ADDRESS", help="Where to listen; default this machine alone.")
    ] = LOOPBACK,
    port: Annotated[
        int, typer.Option("--port", min=0, max=65_535, help=f"Default {PORT}; 0 for a free one.")
    ] = PORT,
    tls_cert: Annotated[
        Path | None, typer.Option("--tls-cert", metavar="FILE", help="The server's certificate chain, PEM.")
    ] = None,
    tls_key: Annotated[Path | None, typer.Option("--tls-key", metavar="FILE", help="Its key, PEM.")] = None,
    coordinator: Annotated[
        bool,
        typer.Option("--coordinator/--no-coordinator", help="Start one where work waits and none leads."),
    ] = True,
    metrics_token_file: Annotated[
        Path | None,
        typer.Option("--metrics-token-file", metavar="FILE", help="The token for /metrics and /v1/demand."),
    ] = None,
    project: ProjectOption = None,
) -> None:
    """Let worker hosts on other machines work for this project; ends on SIGTERM."""
    from orchestrator.config.extras import SERVER_INSTALL, has_server

    if not has_server():
        raise LifecycleError("the server is not installed", fix=SERVER_INSTALL)
    from orchestrator import log
    from orchestrator.project import open_for_writing, read_settings
    from orchestrator.server.listening import certificate, listen, url_of
    from orchestrator.server.running import run

    tls = certificate(tls_cert, tls_key, bind)
    watch_token = None if metrics_token_file is None else metrics_token_file.resolve()
    home = project_of(project)
    settings = read_settings(home)
    with listen(bind, port) as listening:
        logger = log.configure(home.logs / "server.jsonl")
        store = open_for_writing(
            home, settings, on_wait=lambda pids: logger.warning("database_held", by=pids)
        )

        def ready() -> None:
            say(url_of(listening, tls))
            flush()
            note(f"hosts join with `lifecycle host join`; the log is {home.logs / 'server.jsonl'}")

        try:
            with suppress(KeyboardInterrupt):
                run(
                    *(home, store, settings, listening, tls, logger, ready),
                    keeps_coordinator=coordinator,
                    watch_token=watch_token,
                )
        finally:
            store.close()


def register(app: typer.Typer) -> None:
    app.command()(server)
