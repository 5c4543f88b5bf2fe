"""Whole explorations of real folders, kind and unkind."""

import json
import os
import socket
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from orchestrator.domain.errors import UnknownName
from tests.patience import patient
from workers.explore import ExplorationStopped, explore
from workers.explore.cache import INDEX

FILES = {
    "pyproject.toml": '[project]\nname = "shop"\ndependencies = ["flask>=3"]\n[project.scripts]\nshop = "shop.cli:main"\n'
    '[dependency-groups]\ntest = ["pytest>=8"]\n',
    "shop/__init__.py": "",
    "shop/main.py": "from shop.cache import TokenCache\n\ndef main():\n    TokenCache()\n",
    "shop/cache.py": "class TokenCache:\n    def expire_tokens(self):\n        ...\n",
    "shop/mail.py": "def send_mail():\n    ...\n",
    "tests/test_cache.py": "from shop.cache import TokenCache\n\ndef test_cache(): assert TokenCache\n",
    "README.md": "See https://docs.shop.dev/guide and https://user:pw@secret.dev/x.\n",
    ".gitignore": "dist/\n",
    "dist/cache.py": "class Built: ...\n",
    "credentials.json": '{"token": "expire cached tokens"}',
}


def project(root: Path, files: dict[str, str] = FILES) -> Path:
    for path, text in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    return root


def run(
    root: Path, query: str = "expire cached tokens", angle: str = "caching", **more: Any
) -> dict[str, Any]:
    return explore(root, query, angle, cache_dir=root / ".workflow/explorations", **more)


def test_exploration_finds_the_file_the_question_is_about(tmp_path: Path) -> None:
    record = run(project(tmp_path))

    first = record["relevant_files"][0]
    assert first["path"] == "shop/cache.py"
    assert first["key_symbols"][:2] == ["TokenCache", "expire_tokens"]
    assert "imported by 2" in first["rationale"]
    assert all(len(file["rationale"]) > 10 for file in record["relevant_files"])
    assert not {"dist/cache.py", "credentials.json"} & {file["path"] for file in record["relevant_files"]}
    assert [d["name"] for d in record["dependencies"]] == ["flask", "pytest"]
    assert record["external_refs"] == [{"url": "https://docs.shop.dev/guide", "where": "README.md"}]


def test_codebase_summary_counts_what_is_there(tmp_path: Path) -> None:
    codebase = run(project(tmp_path))["codebase"]

    assert codebase["languages"] == {"Python": 5}
    assert {
        "layer": "web framework",
        "name": "flask",
        "where": "pyproject.toml",
        "version": ">=3",
    } in codebase["stack"]
    assert codebase["test_frameworks"] == ["pytest"]
    assert codebase["entry_points"] == ["shop/main.py", "shop = shop.cli:main (pyproject.toml)"]
    assert {"path": "tests", "files": 1, "purpose": "test"} in codebase["top_directories"]
    assert codebase["file_count"] == 9
    assert codebase["truncated"] is False


@pytest.mark.parametrize(
    "files", [{}, {"notes.txt": "an idea"}, {".workflow/a.py": "x = 1", ".git/b.py": "x = 1"}]
)
def test_folder_without_source_or_manifest_has_no_codebase(tmp_path: Path, files: dict[str, str]) -> None:
    record = run(project(tmp_path, files))

    assert record["codebase"] is None


def test_second_question_is_answered_from_the_cache_until_a_file_changes(tmp_path: Path) -> None:
    project(tmp_path)
    cold, warm = run(tmp_path), run(tmp_path)
    (tmp_path / "shop/new.py").write_text("token = 1\n")

    changed = run(tmp_path)

    assert [r["_metadata"]["cached"] for r in (cold, warm, changed)] == [False, True, False]
    assert len(list((tmp_path / ".workflow/explorations").glob("explore-*.json"))) == 1


@pytest.mark.parametrize("harm", ["remove", "truncate", "alter", "index"])
def test_spoilt_cache_is_explored_again_and_rebuilt(tmp_path: Path, harm: str) -> None:
    run(project(tmp_path))
    cache = tmp_path / ".workflow/explorations"
    entry = next(cache.glob("explore-*.json"))
    if harm == "remove":
        entry.unlink()
    elif harm == "truncate":
        entry.write_text(entry.read_text()[:50])
    elif harm == "alter":
        entry.write_text(entry.read_text().replace("TokenCache", "Other"))
    else:
        (cache / INDEX).write_text('{"entries": [')

    again, after = run(tmp_path), run(tmp_path)

    assert (again["_metadata"]["cached"], after["_metadata"]["cached"]) == (False, True)
    assert list(json.loads((cache / INDEX).read_text())["entries"]) == [entry.name]


def test_force_refresh_explores_again(tmp_path: Path) -> None:
    run(project(tmp_path))

    assert run(tmp_path, force_refresh=True)["_metadata"]["cached"] is False


def test_six_threads_asking_at_once_cause_one_exploration(tmp_path: Path) -> None:
    project(tmp_path)

    with ThreadPoolExecutor(6) as pool:
        records = list(pool.map(lambda _: run(tmp_path), range(6)))

    assert sorted(r["_metadata"]["cached"] for r in records) == [False, True, True, True, True, True]


def test_two_processes_asking_at_once_cause_one_exploration(tmp_path: Path) -> None:
    project(tmp_path / "p", {**FILES, **{f"shop/m{i}.py": "token = 1\n" * 200 for i in range(300)}})
    code = (
        "import sys; from pathlib import Path; from workers.explore import explore\n"
        "root = Path(sys.argv[1]); sys.stdin.read()\n"
        "print(explore(root, 'tokens', 'caching', cache_dir=root / '.workflow/x')['_metadata']['cached'])"
    )
    command = [sys.executable, "-c", code, str(tmp_path / "p")]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    processes = [subprocess.Popen(command, cwd=Path(__file__).parents[2], **pipes) for _ in range(2)]

    for process in processes:
        process.stdin.close()
    answers = [process.stdout.read().strip() for process in processes]
    for process in processes:
        process.stdout.close()
        assert process.wait(30) == 0

    assert sorted(answers) == ["False", "True"]


def test_unwritable_cache_is_said_and_does_no_harm(tmp_path: Path) -> None:
    project(tmp_path)
    (tmp_path / "occupied").write_text("a file")

    record = explore(tmp_path, "tokens", "caching", cache_dir=tmp_path / "occupied")

    assert record["relevant_files"]
    assert any("not kept" in note for note in record["_metadata"]["notes"])


def test_unknown_angle_is_refused_before_any_work(tmp_path: Path) -> None:
    with pytest.raises(UnknownName, match="unknown angle 'beauty'"):
        run(tmp_path, angle="beauty")

    assert list(tmp_path.iterdir()) == []


def test_past_deadline_gives_a_marked_record_that_is_not_kept(tmp_path: Path) -> None:
    project(tmp_path)

    record = run(tmp_path, deadline=time.monotonic() - 1)

    assert record["_metadata"]["truncated"] is True
    assert run(tmp_path)["_metadata"]["cached"] is False


def test_stop_ends_the_exploration(tmp_path: Path) -> None:
    stop = threading.Event()
    stop.set()

    with pytest.raises(ExplorationStopped):
        run(project(tmp_path), stop=stop)


def test_hostile_tree_is_explored_in_bounded_time(tmp_path: Path) -> None:
    project(tmp_path)
    (tmp_path / "secret_outside").write_text("x")
    root = tmp_path / "shop"
    (root / "loop").symlink_to(root)
    (root / "passwd.py").symlink_to("/etc/passwd")
    os.mkfifo(root / "pipe.py")
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(root / "socket.py"))
    with (root / "huge.py").open("wb") as huge:
        huge.truncate(1 << 40)
    (root / "binary.py").write_bytes(b"\0token" * 100)
    Path(os.fsdecode(os.fsencode(root) + b"/token_caf\xe9.py")).write_text("def expire_token(): ...\n")
    (root / "line\nbreak.py").write_text("token = 1\n")
    (root / "module").mkdir()
    (root / "module/.git").write_text("gitdir: ../.git/modules/x")
    (root / "module/inside.py").write_text("token = 1\n")
    (root / "minified.js").write_text("var a;" * 200_000)

    record = run(tmp_path, deadline=time.monotonic() + 20)

    paths = {file["path"] for file in record["relevant_files"]}
    assert {"shop/token_caf\\xe9.py", "shop/line\\nbreak.py"} <= paths
    assert not any(
        word in path
        for path in paths
        for word in ("loop", "passwd", "pipe", "socket", "huge", "binary", "module")
    )
    notes = " ".join(record["_metadata"]["notes"])
    assert all(word in notes for word in ("symbolic", "pipe", "submodule", "larger"))
    assert record["_metadata"]["truncated"] is False
    json.dumps(record).encode()


@pytest.mark.long
def test_twenty_thousand_files_are_explored_within_the_deadline(tmp_path: Path) -> None:
    for folder in range(200):
        below = tmp_path / f"d{folder}"
        below.mkdir()
        for i in range(100):
            (below / f"f{i}.py").write_text(f"def token_{folder}_{i}(): ...\n")
    started = time.monotonic()

    record = run(tmp_path, deadline=started + 10)

    assert time.monotonic() - started < patient(12)
    assert record["codebase"]["file_count"] == 20_000
    assert record["relevant_files"]


def test_nothing_of_the_repository_is_changed(tmp_path: Path) -> None:
    project(tmp_path / "p")
    before = {p: p.stat().st_mtime_ns for p in (tmp_path / "p").rglob("*")}

    explore(tmp_path / "p", "tokens", "general", cache_dir=tmp_path / "cache")

    assert {p: p.stat().st_mtime_ns for p in (tmp_path / "p").rglob("*")} == before
