"""Each rule of a review finds what it is about and leaves alone what only looks like it."""

# ruff: noqa: E501 - a row a case

from __future__ import annotations

from pathlib import Path

import pytest

from tests.two_trees import two_trees
from workers.evidence.candidate_checks import Subject, review_candidate
from workers.evidence.changed_files import ChangedFile, Changes
from workers.evidence.review_rules import review_changes

# fmt: off
# rule, path -> (text that has it, text that only looks like it)
CASES: dict[tuple[str, str], tuple[str, str]] = {
    ("eval", "a.py"): ("eval(text)\n", "eval('1 + 1')\nast.literal_eval(text)\nmodel.eval()\n"),
    ("eval", "a.js"): ("const x = eval(text)\n", "page.eval(x) // eval(text)\nconst s = 'eval(x)'\n"),
    ("shell", "a.py"): ("subprocess.run(f'ls {x}', shell=True)\n", "subprocess.run(['ls', x])\nsubprocess.run('ls', shell=True)\n"),
    ("shell", "b.py"): ("os.system('ls ' + x)\n", "os.system('clear')\n"),
    ("shell", "a.js"): ("execSync(`ls ${x}`)\n", "execSync('ls')\nexecFile('ls', [x])\nregex.exec(`a`)\n"),
    ("shell", "a.go"): ('exec.Command("sh", "-c", text)\n', 'exec.Command("ls", text)\nexec.Command("sh", "-c", "ls")\n'),
    ("pickle", "a.py"): ("pickle.loads(data)\nx\n", "pickle.dumps(data)\njson.loads(data)\nyaml.load(data, Loader=SafeLoader)\n"),
    ("pickle", "b.py"): ("yaml.load(data)\n", "yaml.safe_load(data)\n"),
    ("deserialize", "A.java"): ("class A { Object o = new ObjectInputStream(in); }\n", "class A { Object o = new ObjectOutputStream(out); }\n"),
    ("sql", "a.py"): ("db.execute(f\"SELECT a FROM t WHERE b = '{x}'\")\n", "db.execute('SELECT a FROM t WHERE b = ?', (x,))\nprint(f'Select one from the list = {x}')\n"),
    ("sql", "b.py"): ("q = 'DELETE FROM t WHERE a = %s' % x\n", "db.execute(f'SELECT a FROM {TABLE} WHERE b = ?', x)\n"),
    ("sql", "c.py"): ("db.execute('INSERT INTO t VALUES (' + x + ')')\n", "db.execute('INSERT INTO t VALUES (' + MARKS + ')')\n"),
    ("sql_name", "a.py"): ("db.execute(f'SELECT a FROM {table}')\n", "db.execute('SELECT a FROM t')\nlog(f'select {table}')\n"),
    ("sql", "a.js"): ("db.query(`select * from t where a = ${x}`)\n", "db.query('select * from t where a = ?', [x])\n"),
    ("sql", "a.go"): ('db.Query("select a from t where b = " + x)\n', 'db.Query("select a from t where b = ?", x)\n'),
    ("sql", "A.java"): ('class A { void f() { s.executeQuery("select a from t where b = " + x); } }\n', 'class A { void f() { s.executeQuery("select a"); } }\n'),
    ("tls", "a.py"): ("requests.get(url, verify=False)\n", "requests.get(url, verify=True)\ncheck(verify=False)\n"),
    ("tls", "b.py"): ("context.verify_mode = ssl.CERT_NONE\n", "context.verify_mode = ssl.CERT_REQUIRED\n"),
    ("tls", "a.js"): ("get({ rejectUnauthorized: false })\n", "get({ rejectUnauthorized: true })\n"),
    ("tls", "a.go"): ("c := tls.Config{InsecureSkipVerify: true}\n", "c := tls.Config{InsecureSkipVerify: false}\n"),
    ("tls", "a.rs"): ("fn f() { b.danger_accept_invalid_certs(true); }\n", "fn f() { b.danger_accept_invalid_certs(false); }\n"),
    ("html", "a.js"): ("box.innerHTML = text\n", "box.innerHTML = '<br>'\nbox.textContent = text\n"),
    ("swallowed", "a.py"): ("try:\n    f()\nexcept Exception:\n    pass\n", "try:\n    f()\nexcept KeyError:\n    pass\n"),
    ("swallowed", "b.py"): ("try:\n    f()\nexcept:\n    ...\n", "try:\n    f()\nexcept Exception as error:\n    log(error)\n"),
    ("swallowed", "a.ts"): ("try { f() } catch (e) {}\n", "try { f() } catch (e) { log(e) }\n"),
    ("swallowed", "A.java"): ("class A { void f() { try { g(); } catch (Exception e) { } } }\n", "class A { void f() { try { g(); } catch (Exception e) { log(e); } } }\n"),
    ("mutable_default", "a.py"): ("def f(a=[]):\n    a.append(1)\n", "def f(a=[]):\n    return len(a)\ndef g(a=None):\n    a.append(1)\n"),
    ("long_function", "a.py"): ("def f():\n" + "    x()\n" * 101, "def f():\n" + "    x()\n" * 99),
    ("debugger", "a.py"): ("breakpoint()\n", "self.breakpoint()\n"),
    ("debugger", "a.js"): ("debugger;\n", "const debugger_ = 1\n// debugger;\n"),
    ("debug_output", "a.js"): ("console.log(x)\n", "// console.log(x)\nconsole.error(x)\n"),
    ("debug_output", "a.rs"): ("fn f() { dbg!(x); }\n", "fn f() { debug!(x); }\n"),
    ("debug_output", "A.java"): ("class A { void f() { e.printStackTrace(); } }\n", "class A { void f() { log(e); } }\n"),
    ("unfinished", "a.rs"): ("fn f() { todo!() }\n", "fn f() { todo_list() }\n"),
    ("todo", "a.py"): ("x = 1  # TODO later\n", "x = 1  # TODO(#12) later\ntodo = 1\n"),
    ("todo", "a.go"): ("// FIXME this\n", "// FIXME APP-12\n"),
    ("lint_silenced", "a.py"): ("import os  # noqa\n", "import os  # noqa: F401 - for its side effect\nx: int = f()  # type: ignore[attr-defined]\n"),
    ("lint_silenced", "a.js"): ("/* eslint-disable */\n", "// eslint-disable-next-line no-undef\n"),
    ("conflict_marker", "a.txt"): ("<<<<<<< ours\n", "<<<<<< six\n"),
}
# fmt: on
WORST = {"eval": "critical", "sql": "critical", "tls": "critical", "todo": "low"}


def found(path: str, text: str, before: str | None = None) -> dict[str, str]:
    old = None if before is None else before.encode()
    file = ChangedFile(path, "A" if old is None else "M", old, text.encode(), path)
    return {finding.rule: finding.severity for finding in review_changes(Changes([file]))}


@pytest.mark.parametrize("case", CASES, ids=str)
def test_a_rule_finds_its_fault_and_no_other(case: tuple[str, str]) -> None:
    rule, path = case
    planted, near = CASES[case]

    assert rule in found(path, planted)
    assert rule not in found(path, near)
    assert found(path, planted)[rule] == WORST.get(rule, found(path, planted)[rule])


@pytest.mark.parametrize("case", CASES, ids=str)
def test_what_was_there_before_is_not_told(case: tuple[str, str]) -> None:
    _, path = case
    planted, _ = CASES[case]

    assert found(path, "\n" + planted, planted) == {}


def test_tests_may_do_what_source_may_not() -> None:
    assert found("tests/test_a.py", "eval(text)\nos.system(x + y)\n") == {}
    assert found("tests/test_a.py", "breakpoint()\n") == {"debugger": "medium"}


def test_an_import_that_closes_a_circle_is_found_and_one_for_types_is_not(tmp_path: Path) -> None:
    base = {
        "app/__init__.py": "",
        "app/a.py": "from app import b\n",
        "app/b.py": "import app.c\n",
        "app/c.py": "x = 1\n",
    }
    circle = {"app/c.py": "from app.a import y\nx = 1\n"}
    types = {"app/c.py": "if TYPE_CHECKING:\n    from app.a import y\n\n\ndef f():\n    import app.a\n"}
    store = two_trees(tmp_path, {"circle": (base, circle), "types": (base, types)})

    told = review_candidate(Subject(store, "base/circle", "tree/circle"))

    assert [(finding.rule, finding.place, finding.severity) for finding in told] == [
        ("import_cycle", "app/c.py:1", "high")
    ]
    assert "app/c.py -> app/a.py -> app/b.py -> app/c.py" in told[0].text
    assert review_candidate(Subject(store, "base/types", "tree/types")) == []


def test_a_circle_that_was_there_is_not_told(tmp_path: Path) -> None:
    base = {"a.py": "import b\n", "b.py": "import a\n"}
    store = two_trees(tmp_path, {"x": (base, {"a.py": "import os\nimport b\n"})})

    assert review_candidate(Subject(store, "base/x", "tree/x")) == []
