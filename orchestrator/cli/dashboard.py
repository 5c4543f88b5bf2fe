"""Opening the dashboard from another command: as a process of its own, in a browser that gets a one-use link."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from orchestrator.cli.output import note
from orchestrator.domain.errors import LifecycleError
from orchestrator.domain.inert import one_line

LOG = "serve.out"  # of a server that another command started


def need_web() -> None:
    """Raises LifecycleError where the dashboard is not installed."""
    from orchestrator.config.extras import WEB_INSTALL, has_web

    if not has_web():
        raise LifecycleError("the web dashboard is not installed", fix=WEB_INSTALL)


def show_session(root: Path, logs: Path, session: str) -> None:
    """Open the session's page, with a server that runs already or a new one.

    What goes wrong is noted and ends nothing: the session exists, and is followed here as well.
    """
    from orchestrator.dispatch import dashboards

    state = dashboards.state_folder(os.environ)
    try:
        found = next(
            (each for each in dashboards.of_project(state, root) if not each.read_only), None
        ) or dashboards.start(state, root.resolve(), logs / LOG)
        link = dashboards.link(found, found.page(root.resolve(), session))
    except (LifecycleError, OSError) as error:
        fix = error.fix if isinstance(error, LifecycleError) else "`lifecycle doctor` checks the machine"
        why = f" ({one_line(error.why, 500)})" if isinstance(error, LifecycleError) and error.why else ""
        note(f"the dashboard could not be opened: {error}{why}; {fix}")
        return
    import webbrowser

    missing = _no_browser()
    if missing is None and webbrowser.open(link):
        note(f"the dashboard opens in your browser: {found.address}   (lifecycle serve --stop ends it)")
        return
    note(
        f"{missing or 'no browser could be started'}: open this link within ten minutes, it lets one browser in"
    )
    note(f"  {link}")
    note("  (lifecycle serve --stop ends the dashboard)")


def _no_browser() -> str | None:
    """Why no browser can be opened here; None where one can."""
    if sys.platform.startswith("linux") and not any(
        os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER")
    ):
        return "there is no display here"  # what is found now would draw into this terminal
    import webbrowser

    try:
        webbrowser.get()
    except webbrowser.Error:
        return "there is no browser here"
    return None
