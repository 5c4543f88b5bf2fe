"""The shipped YAML files are read from what `make shipped` wrote, and as they are where they have changed since."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from orchestrator.config import resources, shipped_yaml, strict_yaml
from orchestrator.domain.errors import ConfigError
from tests import shipped_values

ROOT = Path(__file__).parents[2]


def test_what_is_written_is_what_the_files_say() -> None:
    assert shipped_values.lying() == shipped_values.written(), "`make shipped` writes them anew"


@pytest.mark.parametrize("file", shipped_values.sources(), ids=lambda file: file.name)
def test_a_shipped_file_has_the_values_that_its_yaml_has(file: Path) -> None:
    assert shipped_yaml.read(file) == strict_yaml.read(file)[0]


def test_a_shipped_file_that_has_changed_is_read_itself(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = tmp_path / "config" / "shipped" / "modes.json"
    made.parent.mkdir(parents=True)
    made.write_text((resources() / "config" / "shipped" / "modes.json").read_text(encoding="utf-8"))
    file = tmp_path / "config" / "modes.yaml"
    file.write_text("modes: {}\n")
    monkeypatch.setattr(shipped_yaml, "resources", lambda: tmp_path)

    assert shipped_yaml.read(file) == {"modes": {}}


def test_faults_of_a_file_of_others_name_their_lines(tmp_path: Path) -> None:
    file = tmp_path / "labels.yaml"
    file.write_text("words:\n  a: 1\n  a: 2\n")

    with pytest.raises(ConfigError) as refused:
        shipped_yaml.read(file)

    assert refused.value.faults == [f"{file}:3: duplicate key 'a'"]


def test_what_every_host_reads_needs_no_parser(tmp_path: Path) -> None:
    script = (
        "import sys\n"
        "from orchestrator.config import load_all, load_prices\n"
        "from workers.documents.labels import labels\n"
        "from workers.documents.reading_words import people\n"
        f"load_prices(load_all(None, {{'LIFECYCLE_CONFIG_DIR': {str(tmp_path)!r}}})[1])\n"
        "labels('zh'), people()\n"
        "sys.exit('ruamel.yaml' in sys.modules)\n"
    )

    assert subprocess.run([sys.executable, "-c", script], cwd=ROOT, check=False).returncode == 0
