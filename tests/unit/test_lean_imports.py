"""What a worker host loads of libraries, in a process of its own: this one has loaded everything."""

from __future__ import annotations

import json
import subprocess
import sys
import textwrap
from typing import Any

from orchestrator.lean_imports import LATER, MISSING


def in_new_process(program: str) -> Any:
    """What the program prints as JSON."""
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(program)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_host_loads_libraries_without_what_they_load_beside_it() -> None:
    loaded = in_new_process(
        """
        import json, os, sys
        os.environ["PYDANTIC_DISABLE_PLUGINS"] = "__all__"
        from workers import __main__ as workers
        workers._load_libraries()
        import orchestrator.log
        import workers.git.tree_maintenance
        import workers.roles.analyst
        import workers.run.runtime
        import workers.run.settings_watcher
        print(json.dumps(list(sys.modules)))
        """
    )

    beside = {"difflib", "email.message", "workers.git.session_work", "xml.etree.ElementTree", "zipfile"}
    assert not (set(LATER) | set(MISSING) | beside) & set(loaded)
    assert {"jinja2", "markdown_it", "pydantic", "rapidfuzz.fuzz", "structlog"} <= set(loaded)


def test_what_is_loaded_later_works_when_it_is_used() -> None:
    found = in_new_process(
        """
        import json
        from workers import __main__ as workers
        workers._load_libraries()
        import jinja2, rapidfuzz
        from importlib.metadata import version
        from pydantic.plugin import _loader
        plugins = list(_loader.entry_points(group="no such group"))
        written = jinja2.Environment().from_string("{% for n in names %}{{ n|upper }};{% endfor %}")
        print(json.dumps({
            "plugins": plugins,
            "written": written.render(names=["oak", "elm"]),
            "nearest": rapidfuzz.process.extractOne("elm", ["helm", "oak"])[0],
            "similarity": rapidfuzz.fuzz.ratio.__module__,
            "version": version("jinja2") == jinja2.__version__,
        }))
        """
    )

    compiled = found.pop("similarity")
    assert found == {"plugins": [], "written": "OAK;ELM;", "nearest": "helm", "version": True}
    assert compiled.startswith("rapidfuzz.fuzz_cpp")  # where a part is missing, it would do with Python's


def test_what_is_loaded_already_stays() -> None:
    same, hidden, after = in_new_process(
        """
        import json, sys
        import importlib.metadata as loaded
        from orchestrator.lean_imports import alone
        with alone():
            same = sys.modules["importlib.metadata"] is loaded
            hidden = "rapidfuzz.process" in sys.modules
        after = sys.modules["importlib.metadata"] is loaded and "rapidfuzz.process" not in sys.modules
        print(json.dumps([same, hidden, after]))
        """
    )

    assert same
    assert hidden
    assert after
