"""What agents do to the user's project while a whole session asks them: nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.e2e.support import agent_toml, lifecycle


@pytest.mark.usefixtures("confinable")
def test_agents_of_a_session_cannot_write_to_the_project_and_the_session_comes_to_its_end(
    tmp_path: Path,
) -> None:
    folder = tmp_path / "p"
    script = (
        'cat > /dev/null; for name in mine .workflow/config.toml; do echo mine >> "$0/$name"; done; exit 1'
    )
    agent = agent_toml("mine", ["sh", "-c", script, str(folder)])
    with lifecycle(folder, extra=agent) as project:
        settings = (folder / ".workflow" / "config.toml").read_bytes()

        done = project.run("start", "The catalogue must show where an object lies", "--discuss", "off")

        assert done.code == 0, done.err
        assert not (folder / "mine").exists()
        assert (folder / ".workflow" / "config.toml").read_bytes() == settings
        said = [error for (error,) in project.rows("SELECT error FROM agent_calls WHERE agent = 'mine'")]
        assert said and all(error.count("Read-only file system") == 2 for error in said), said
