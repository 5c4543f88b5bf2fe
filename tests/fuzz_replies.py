"""The reading of answers under a fuzzer that follows which code each input reaches: `python -m tests.fuzz_replies SECONDS`.

It begins with the corpus; an input that raises, or takes over TOO_LONG, is kept in the current folder and ends it with 77.
"""

from __future__ import annotations

import sys
import tempfile
from typing import Any

TOO_LONG = 20  # seconds


def main(seconds: str) -> None:
    import atheris

    with atheris.instrument_imports(include=["workers.agents", "json_repair"]):
        from workers.agents import extraction, replies
        from workers.agents.programs import process
        from workers.documents.content import Critique, Requirements

    def read(data: bytes) -> None:
        text = process.decode(data).text
        for schema in (Critique, Requirements):
            found: Any = replies.parse(text, schema).model or extraction.extract(text, schema)
            if found is not None:
                found.model_dump_json().encode()

    from tests.fuzzing import CORPUS

    with tempfile.TemporaryDirectory() as found:
        limits = [
            f"-max_total_time={seconds}",
            f"-timeout={TOO_LONG}",
            "-max_len=8192",
            "-print_final_stats=1",
        ]
        atheris.WorkerConfig([sys.argv[0], *limits, found, str(CORPUS / "answers")], read)
        atheris.Fuzz()


if __name__ == "__main__":
    main(sys.argv[1])
