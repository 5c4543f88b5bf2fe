"""What is said where a browser cannot be had: what is missing, and only the commands for that."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

from workers.evidence import browsers


@pytest.mark.parametrize(
    ("packages", "chromium", "says", "fix"),
    [
        (True, True, None, ""),
        (True, False, "Chromium is not installed", browsers.CHROMIUM_INSTALL),
        (False, True, "Playwright and axe-core are not installed", browsers.BROWSER_INSTALL),
        (
            False,
            False,
            "Playwright and axe-core and Chromium are not installed",
            f"{browsers.BROWSER_INSTALL}, and {browsers.CHROMIUM_INSTALL}",
        ),
    ],
)
def test_only_what_is_missing_is_to_be_installed(
    packages: bool,
    chromium: bool,
    says: str | None,
    fix: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    spec = importlib.util.find_spec("json") if packages else None
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: spec)
    if chromium:
        program = tmp_path / "chromium"
        program.touch(mode=0o755)
    environ = {"PATH": str(tmp_path)}

    assert browsers.why_no_browser(environ) == says
    assert browsers.fix(environ) == fix
