"""What pages try against whoever looks at them with a browser: nothing gets out, nothing is faked, nothing hangs."""

from __future__ import annotations

import json
import os
import socket
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.patience import patient
from workers.agents.protocol import Timeouts
from workers.evidence import browser_visit
from workers.evidence.browsers import axe_script, find_chromium, why_no_browser
from workers.evidence.sandbox import Confined, run_confined, test_environment, tools_below_tmp

MISSING = why_no_browser(os.environ)
pytestmark = pytest.mark.skipif(bool(MISSING), reason=f"{MISSING}")
HEAD = '<!doctype html><html lang="en"><head><title>x</title><link rel="icon" href="data:,"></head><body><main><h1>x</h1>'
Look = Callable[..., tuple[dict[str, dict[str, Any]], Confined]]


@pytest.fixture
def look(tmp_path: Path) -> Look:
    """Opens these pages as an audit does; by page what was seen, and how it ended."""

    def looked(
        files: dict[str, str], *pages: str, serve: tuple[str, ...] = (), page_seconds: float = 60.0
    ) -> Any:
        tree, out, scratch = (tmp_path / name for name in ("tree", "out", "scratch"))
        for folder in (tree, out, scratch):
            folder.mkdir(exist_ok=True)
        for name, text in files.items():
            (tree / name).write_text(text, encoding="utf-8")
        job = {
            "chromium": find_chromium(os.environ),
            "axe": str(axe_script()),
            "tree": str(tree),
            "serve": list(serve),
            "pages": list(pages),
            "out": str(out),
            "profile": "/tmp/profile",
            "page_seconds": page_seconds,
        }
        (out / "job.json").write_text(json.dumps(job))
        visit = Path(browser_visit.__file__)
        done = run_confined(
            [sys.executable, "-I", str(visit), str(out / "job.json")],
            cwd=tree,
            env={**test_environment(os.environ, tree, scratch), "TMPDIR": "/tmp"},
            writable=[scratch, out],
            folder=tmp_path,
            run="looking",
            timeouts=Timeouts(start=None, silence=None, turn=None, total=120.0),
            stop=threading.Event(),
            hidden=[],
            readable=[visit.parent, Path(sys.prefix), axe_script().parent, *tools_below_tmp(os.environ)],
        )
        seen = out / "seen.json"
        told = json.loads(seen.read_text()) if seen.exists() else {"pages": []}
        return {page["page"]: page for page in told["pages"]}, done

    return looked


def test_hostile_pages_reach_nobody_and_hide_nothing(look: Look, tmp_path: Path) -> None:
    secret = tmp_path / "secret.html"
    secret.write_text(f"{HEAD}<p>the secret</p>")
    fake = "{value:{run:async()=>({violations:[]})},writable:false,configurable:false}"
    faked = f'<script>Object.defineProperty(window,"axe",{fake})</script><img src="data:,">'
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.settimeout(0.1)
        port = listener.getsockname()[1]
        calls = (
            f'<img alt="" src="http://127.0.0.1:{port}/image"><script>fetch("http://127.0.0.1:{port}/fetch");'
            f'new WebSocket("ws://127.0.0.1:{port}/socket");navigator.sendBeacon("http://127.0.0.1:{port}/beacon")</script>'
        )
        (tmp_path / "tree").mkdir()
        (tmp_path / "tree" / "link.html").symlink_to(secret)
        files = {
            "calls.html": HEAD + calls,
            "faked.html": HEAD + faked,
            "asks.html": HEAD + "<script>alert(1);confirm(2);window.open('about:blank')</script>",
            "wide.html": HEAD + '<div style="width:2000px">wide</div>',
            "fails.html": HEAD + "<script>nobody()</script><script src='gone.js'></script>",
        }

        seen, done = look(files, *files, "link.html")

        assert (done.ended.ended_by, done.ended.exit, done.confined) == ("exited", 0, True), done.err
        with pytest.raises(TimeoutError):
            listener.accept()
    assert any(str(port) in address for address in seen["calls.html"]["outside"])
    assert [rule["id"] for rule in seen["faked.html"]["violations"]] == ["image-alt"]
    assert seen["link.html"]["why_not"] == "the server answers 404" and not seen["asks.html"]["why_not"]
    assert seen["wide.html"]["sideways"] == ["375", "1280"]
    assert "nobody" in seen["fails.html"]["errors"][0] and seen["fails.html"]["missing"] == ["/gone.js"]
    assert {each["width"] for each in seen["asks.html"]["screens"]} == {375, 1280}


@pytest.mark.long
def test_a_page_that_never_ends_is_told_and_the_next_one_is_seen(look: Look) -> None:
    files = {"loops.html": HEAD + "<script>for(;;){}</script>", "good.html": HEAD}

    seen, done = look(files, *files)

    assert done.ended.exit == 0, done.err
    assert "Timeout" in seen["loops.html"]["why_not"] and seen["good.html"]["why_not"] is None


@pytest.mark.long  # a page that hangs takes a whole processor
def test_a_page_that_hangs_once_it_is_loaded_ends_at_its_limit_and_the_next_one_is_seen(look: Look) -> None:
    hangs = "<script>onload = () => setTimeout(() => { for (;;); })</script>"
    files = {"hangs.html": HEAD + hangs, "good.html": HEAD}

    seen, done = look(files, *files, page_seconds=patient(5.0))

    assert (done.ended.ended_by, done.ended.exit) == ("exited", 0), done.err
    assert "it hangs: it was not done after" in seen["hangs.html"]["why_not"]
    assert seen["good.html"]["why_not"] is None and len(seen["good.html"]["screens"]) == 4


def test_a_child_of_the_server_in_a_session_of_its_own_is_ended_before_the_answer(
    look: Look, tmp_path: Path
) -> None:
    answer = str(tmp_path / "out" / "seen.json")
    child = f"while True: open({answer!r}, 'w').write('no JSON')"
    server = (
        f"import subprocess,sys,http.server;subprocess.Popen([sys.executable,'-c',{child!r}],start_new_session=True);"
        "http.server.HTTPServer(('127.0.0.1',0),http.server.SimpleHTTPRequestHandler).serve_forever()"
    )

    seen, done = look({"index.html": HEAD}, "", serve=(sys.executable, "-c", server))

    assert done.ended.exit == 0, done.err
    assert seen[""]["title"] == "x"


def test_a_server_that_puts_a_link_in_place_of_the_answer_has_nothing_read_through_it(
    look: Look, tmp_path: Path
) -> None:
    (tmp_path / "secret.json").write_text("{}")
    server = (
        f"import os,http.server;os.symlink({str(tmp_path / 'secret.json')!r},{str(tmp_path / 'out/seen.json')!r});"
        "http.server.HTTPServer(('127.0.0.1',0),http.server.SimpleHTTPRequestHandler).serve_forever()"
    )

    seen, done = look({"index.html": HEAD}, "", serve=(sys.executable, "-c", server))

    assert done.ended.exit == 0, done.err
    assert seen[""]["title"] == "x" and not (tmp_path / "out" / "seen.json").is_symlink()


@pytest.mark.long
def test_a_server_of_the_project_is_found_by_its_port_and_ended_with_all_it_started(look: Look) -> None:
    server = "import http.server;http.server.HTTPServer(('127.0.0.1',0),http.server.SimpleHTTPRequestHandler).serve_forever()"

    seen, done = look({"index.html": HEAD}, "", serve=("sh", "-c", f'{sys.executable} -c "{server}" & wait'))

    assert done.ended.exit == 0, done.err
    assert seen[""]["why_not"] is None and seen[""]["title"] == "x"


def test_a_server_that_does_not_start_is_told(look: Look) -> None:
    _, done = look({"index.html": HEAD}, "", serve=("sh", "-c", "echo no port free; exit 3"))

    assert done.ended.exit != 0
    assert "the project's server ended with 3: no port free" in done.err
