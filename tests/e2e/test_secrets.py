"""What the environment holds is in no file and no command line; what looks like a credential is in no log."""

from __future__ import annotations

import base64
import json
import sqlite3
import sys
import textwrap
import threading
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote

import pytest

from tests.e2e.support import Lifecycle, agent_toml, lifecycle

REQUEST = "Build a URL shortener. It must expire links after 30 days."
ALLOWED = "OUR_SERVICE_LOGIN"  # the agent may see it; the configuration names it
ENVIRONMENT = {
    "ANTHROPIC_API_KEY": "sk-canary-Qm9vIGhvbw/one+two==",
    "DATABASE_URL": "postgres://canary:p%40ss;w0rd<two>@127.0.0.1/x",
    "SOME_PASSWORD": 'canary "three"\tüñí',
    "PLAIN": "canary-four-0123456789",
    ALLOWED: "canary-five/+9876543210==",
}
SHAPED = ["sk-canary0123456789abcdef", "ghp_canary0123456789abcdefghij", "AKIACANARY0123456789"]

# Sees what it was given, fails once, then leaves the work to the next agent; it prints nothing of it.
SILENT = f"""
import os, sys
seen = set({sorted(ENVIRONMENT)!r}) & set(os.environ)
sys.stderr.write("sees " + " ".join(sorted(seen)))
sys.exit(3)
"""

TALKS = f"""
import base64, json, os, sys, time
from urllib.parse import quote
for secret in {SHAPED!r}:
    half = len(secret) // 2
    for piece in ("the key is ", secret[:half], secret[half:], "\\n"):
        os.write(2, piece.encode())
        time.sleep(0.01)
    os.write(2, json.dumps({{secret: {{"x": [secret]}}}}).encode() + b"\\n")
sys.exit(1)
"""


# Puts its key into everything it can say: its answer, a document, a critique, standard error, the end of a long error.
TELLS = f"""
import json, os, sys
key, shaped = os.environ[{ALLOWED!r}], {SHAPED[0]!r}
prompt = sys.stdin.read()
os.write(2, f"using {{key}} and {{shaped}}\\n".encode())
kind = os.environ["LIFECYCLE_KIND"]
if kind == "critique":
    said = {{"rating": 4, "strengths": [f"it names {{key}}"], "suggestions": [f"rotate {{shaped}}"]}}
    print(json.dumps(said))
elif kind == "brief":
    said = {{
        "title": f"Links {{key}}", "vision": {{"text": f"Short links, {{shaped}}", "source": "stated"}},
        "situation": f"base64 {{__import__('base64').b64encode(key.encode()).decode()}}", "impact": key,
        "goals": [{{"text": f"Keep {{key}} secret", "metric": "leaks", "target": "0"}}],
        "open_questions": [f"Is {{key}} right?"],
    }}
    print("Here it is:", key, json.dumps(said))
else:
    os.write(2, ("x" * 1990 + key + "y" * 1990).encode())
    sys.exit(3)
"""


def forms(secret: str) -> set[bytes]:
    """A secret as it may be found: as it is, in JSON, percent-encoded, in hexadecimal, in base64 at each of three offsets."""
    raw = secret.encode()
    encoded = {base64.b64encode(b"x" * pad + raw)[4 if pad else 0 : -4] for pad in range(3)}
    return {
        raw,
        json.dumps(secret)[1:-1].encode(),
        json.dumps(secret, ensure_ascii=False)[1:-1].encode(),
        quote(secret).encode(),
        quote(secret, safe="").encode(),
        raw.hex().encode(),
        *encoded,
    }


def held(folder: Path) -> Iterator[tuple[str, bytes]]:
    """Everything below a folder with what it holds; the files in packages and all columns of databases too."""
    for path in sorted(folder.rglob("*")):
        if not path.is_file() or path.is_symlink():
            continue
        yield str(path), path.read_bytes()
        if zipfile.is_zipfile(path):
            with zipfile.ZipFile(path) as package:
                yield from ((f"{path}:{name}", package.read(name)) for name in package.namelist())
        if path.suffix == ".db":
            yield from _columns(path)


def _columns(database: Path) -> Iterator[tuple[str, bytes]]:
    connection = sqlite3.connect(f"file:{database}?mode=ro", uri=True)
    try:
        for (table,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall():
            for row in connection.execute(f'SELECT * FROM "{table}"'):
                cells = [cell if isinstance(cell, bytes) else str(cell).encode() for cell in row]
                yield f"{database}:{table}", b"\n".join(cells)
    finally:
        connection.close()


def places_of(
    secrets: list[str], things: Iterator[tuple[str, bytes]] | list[tuple[str, bytes]]
) -> dict[str, list[str]]:
    """Secret -> where it was found."""
    wanted = {secret: forms(secret) for secret in secrets}
    found: dict[str, list[str]] = {}
    for name, body in things:
        for secret, shapes in wanted.items():
            if any(shape in body for shape in shapes):
                found.setdefault(secret, []).append(name)
    return found


@contextmanager
def command_lines(life: Lifecycle) -> Iterator[dict[str, bytes]]:
    """The command lines of all processes of the project that live while the body runs."""
    seen: dict[str, bytes] = {}
    over = threading.Event()

    def look() -> None:
        while not over.wait(0.05):
            for pid in life.pids():
                try:
                    line = Path(f"/proc/{pid}/cmdline").read_bytes()
                except OSError:
                    continue
                seen[f"{pid} {line[:60]!r}"] = line

    thread = threading.Thread(target=look)
    thread.start()
    try:
        yield seen
    finally:
        over.set()
        thread.join()


def program(folder: Path, text: str) -> list[str]:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "agent.py").write_text(textwrap.dedent(text))
    return [sys.executable, "-S", str(folder / "agent.py")]


def test_no_value_of_the_environment_is_in_a_file_or_on_a_command_line(tmp_path: Path) -> None:
    extra = agent_toml("silent", program(tmp_path / "agent", SILENT), env=[ALLOWED])
    with lifecycle(tmp_path / "p", extra=extra) as life:
        with command_lines(life) as seen:
            # With a variable that Python reads as it starts the command is a process of its own, with a line of its own.
            started = {**ENVIRONMENT, "PYTHONHASHSEED": "0"}
            gave = life.run("start", REQUEST, "--discuss", "off", env=started)
        package = life.folder / "out.zip"
        exported = life.run("export", life.session(), "--output", str(package), env=ENVIRONMENT)
        looked = [
            life.run(*words, env=ENVIRONMENT)
            for words in (["doctor"], ["config", "show"], ["agents"], ["log"])
        ]

        assert gave.code == 0, gave.err
        assert exported.code == 0, exported.err
        told = {error for (error,) in life.rows("SELECT error FROM agent_calls WHERE agent = 'silent'")}
        assert told and all(error.endswith(f"sees {ALLOWED}") for error in told), told
        printed = [(" ".join(each.args[4:]), (each.out + each.err).encode()) for each in (gave, *looked)]
        everything = [*held(life.folder), *seen.items(), *printed]
        assert len(seen) >= 3  # the command, the daemon, the host: the look is one at what runs just then
        assert any(name.endswith("-wal") for name, _ in everything)
        assert places_of(list(ENVIRONMENT.values()), everything) == {}
        assert places_of(["expire links"], everything), "the search finds nothing at all"


def test_what_looks_like_a_credential_is_masked_in_the_logs(tmp_path: Path) -> None:
    extra = agent_toml("talks", program(tmp_path / "agent", TALKS))
    with lifecycle(tmp_path / "p", extra=extra) as life:
        gave = life.run("start", REQUEST, "--discuss", "off")

        assert gave.code == 0, gave.err
        logs = list(held(life.folder / ".workflow" / "logs"))
        assert any(b"[masked]" in body for _, body in logs), life.logs()[-2_000:]
        assert places_of(SHAPED, logs) == {}


@pytest.mark.long
def test_an_agent_that_tells_its_key_leaves_it_nowhere(tmp_path: Path) -> None:
    extra = agent_toml("tells", program(tmp_path / "agent", TELLS), env=[ALLOWED])
    with lifecycle(tmp_path / "p", extra=extra) as life:
        tape = life.folder / "tape"
        gave = life.run("start", REQUEST, "--perspectives", "product", "--record", str(tape), env=ENVIRONMENT)
        assert gave.code == 0, gave.err
        bundle = life.run("export", "--bundle", "--output", str(life.folder / "bundle.zip"), env=ENVIRONMENT)
        assert bundle.code == 0, bundle.err
        said = life.run("msg", "log", "--summary", f"the key is {ENVIRONMENT[ALLOWED]}", env=ENVIRONMENT)
        looks = [["log"], ["discuss", "D2", "--json"]]
        looked = [life.run(*words, env=ENVIRONMENT) for words in looks]

        told = [
            row[0] for row in life.rows("SELECT error FROM agent_calls WHERE agent = 'tells' AND error <> ''")
        ]
        assert told and all("[masked]" in error for error in told)
        assert "[masked]" in (life.directory() / "spec" / "product-brief.md").read_text().replace("\\", "")
        answered = life.rows(
            "SELECT count(*) FROM agent_calls WHERE agent = 'tells' AND outcome = 'answered'"
        )
        assert answered[0][0] > 3
        printed = [
            (" ".join(each.args[4:]), (each.out + each.err).encode()) for each in (gave, said, *looked)
        ]
        everything = [*held(life.folder), *printed]
        assert places_of([ENVIRONMENT[ALLOWED], SHAPED[0]], everything) == {}
        assert places_of(["[masked]"], everything)
