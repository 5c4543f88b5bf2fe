"""The browser for audits: the system's Chromium, and the packages of the extra `browser` that drive it and judge pages."""

from __future__ import annotations

import importlib.util
import shutil
from collections.abc import Mapping
from pathlib import Path

from orchestrator.config.extras import BROWSER_INSTALL

NAMES = (  # the first is the same browser without windows, which starts in half the time
    "chromium-headless-shell",
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
)
PACKAGES = {"playwright": "Playwright", "axe_playwright_python": "axe-core"}
CHROMIUM_INSTALL = "apt-get install chromium-headless-shell"


def why_no_browser(environ: Mapping[str, str]) -> str | None:
    """What is missing on this machine for a look with a browser; None when nothing is."""
    missing = _missing_packages()
    if find_chromium(environ) is None:
        missing.append("Chromium")
    return (
        f"{' and '.join(missing)} {'is' if len(missing) == 1 else 'are'} not installed" if missing else None
    )


def fix(environ: Mapping[str, str]) -> str:
    """The commands that install what is missing, and no more; empty when nothing is."""
    packages = BROWSER_INSTALL if _missing_packages() else ""
    chromium = CHROMIUM_INSTALL if find_chromium(environ) is None else ""
    return ", and ".join(filter(None, (packages, chromium)))


def _missing_packages() -> list[str]:
    return [shown for name, shown in PACKAGES.items() if importlib.util.find_spec(name) is None]


def find_chromium(environ: Mapping[str, str]) -> str | None:
    """The system's Chromium, or a browser that is built from it."""
    path = environ.get("PATH", "")
    return next((found for name in NAMES if (found := shutil.which(name, path=path))), None)


def axe_script() -> Path:
    """The script of axe-core, which its package carries."""
    spec = importlib.util.find_spec("axe_playwright_python")
    assert spec is not None and spec.submodule_search_locations
    return Path(spec.submodule_search_locations[0], "axe.min.js")
