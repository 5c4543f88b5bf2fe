"""Installs what the tests marked `stacks` need: `python -m tests.stacks FOLDER`."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.stacks.go_proxy import write_proxy
from tests.stacks.toolchains import environment, lacking
from tests.work.repositories import STACKS, Fixture


def main(words: list[str]) -> int:
    place = Path(words[0])
    packages = lacking()
    if packages and os.geteuid() != 0:
        print(f"These are missing: apt-get install {' '.join(packages)}", file=sys.stderr)
        return 1
    if packages:
        subprocess.run(["apt-get", "update", "-q"], check=True)
        install = ["apt-get", "install", "-y", "-q", "--no-install-recommends", *packages]
        subprocess.run(install, check=True, env={**os.environ, "DEBIAN_FRONTEND": "noninteractive"})
    write_proxy(place / "proxy")
    for fixture in STACKS.values():
        if "package-lock.json" in fixture.files:
            fetch_npm(fixture, place)
    return 0


def fetch_npm(fixture: Fixture, place: Path) -> None:
    """Fetch what the lock file pins into the cache below `place`, once."""
    lock = fixture.files["package-lock.json"]
    done = place / "fetched" / fixture.name
    if done.exists() and done.read_text(encoding="utf-8") == lock:
        return
    print(f"Fetching the packages of {fixture.name}")
    with tempfile.TemporaryDirectory() as folder:
        for path, text in fixture.files.items():
            file = Path(folder, path)
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")
        env = {**os.environ, **environment(place), "npm_config_offline": "false"}
        subprocess.run(
            ["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"],
            cwd=folder,
            env=env,
            check=True,
        )
    done.parent.mkdir(parents=True, exist_ok=True)
    done.write_text(lock, encoding="utf-8")


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
