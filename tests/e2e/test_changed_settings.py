"""A coordinator that runs already works with the configuration and the programs of now."""

from __future__ import annotations

from pathlib import Path

from tests.e2e.support import QUICK, Lifecycle, lifecycle

ASKED = '#!/bin/sh\necho "$MINE_KEY" >> {}\necho nonsense\n'
REQUEST = "Build a URL shortener"
MINE = '[agents.mine]\ncommand = ["talks"]\nenv = ["MINE_KEY"]\n[roles]\nanalyst = ["mine", "builtin"]\n'


def asked(life: Lifecycle) -> set[str]:
    """The agents that the newest session asked."""
    return {row[0] for row in life.rows("SELECT agent FROM agent_calls WHERE session_id = ?", life.session())}


def test_an_agent_that_is_installed_named_or_switched_off_is_so_for_the_next_session(tmp_path: Path) -> None:
    programs = tmp_path / "programs"
    programs.mkdir()
    with lifecycle(tmp_path / "p") as life:
        path = f"{programs}:{life.environment['PATH']}"
        hosts: list[object] = []

        def start(settings: str, **env: str) -> set[str]:
            life.configure(QUICK, settings)
            assert life.run("start", REQUEST, "--discuss", "off", env=env).code == 0
            hosts.append(life.rows("SELECT incarnation FROM hosts"))
            return asked(life)

        before = start("")
        named = start(MINE)
        (programs / "talks").write_text(ASKED.format(tmp_path / "keys"))
        (programs / "talks").chmod(0o755)
        installed = start(MINE, PATH=path, MINE_KEY="given later")
        poorer = start(MINE)
        off = start("", PATH=path)

        assert (before, named, off) == ({"builtin"}, {"builtin"}, {"builtin"})
        assert (installed, poorer) == ({"mine", "builtin"}, {"mine", "builtin"})
        assert all(each == hosts[0] for each in hosts), "it is the same host"
        assert set((tmp_path / "keys").read_text().split("\n")) == {"given later", ""}
