"""The built-in agent says the same of a request in every process: a run repeated after a crash changes nothing."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.judging import files_of, specified
from tests.rows import common

ROOT = Path(__file__).parents[2]
CORPUS = ROOT / "tests" / "corpus"
REQUESTS = ("issue-form-hives.md", "tender-weighbridge.md", "prd-canteen.zh.md")


def _said(request: str) -> dict[str, bytes]:
    return files_of(specified((CORPUS / request).read_text()))


@pytest.mark.parametrize("request_file", common(REQUESTS, ["prd-canteen.zh.md"]))
def test_a_request_is_answered_alike_whatever_the_order_of_sets(request_file: str) -> None:
    digests = {_digest_with(seed, request_file) for seed in ("1", "2")}

    assert len(digests) == 1


def _digest_with(seed: str, request_file: str) -> str:
    ran = subprocess.run(
        [sys.executable, "-m", "tests.unit.test_builtin_repeats", request_file],
        cwd=ROOT,
        env={"PYTHONHASHSEED": seed},
        capture_output=True,
        text=True,
        check=True,
    )
    return ran.stdout


if __name__ == "__main__":
    for path, body in sorted(_said(sys.argv[1]).items()):
        print(path, body)
