"""Small real repositories with a request, a plan, the right patches and wrong ones (material/README.md).

They are made anew in each test's folder: three commits with fixed dates and author, so that their ids never change.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.git_world import git
from tests.work.cheat_values import Broken

MATERIAL = Path(__file__).parent / "material"
FIRST_COMMIT = 1_700_000_000  # seconds
_NAME = re.compile(r"^-- (.+) --$", re.MULTILINE)
_EDIT = re.compile(r"^<<<\n(.*?)^===\n(.*?)^>>>$", re.MULTILINE | re.DOTALL)

COMMANDS: dict[str, tuple[str, ...]] = {
    "pytest": (sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"),
    "unittest": (sys.executable, "-m", "unittest"),
    "node:test": ("node", "--test"),
    "vitest": ("npx", "--no-install", "vitest", "run"),
    "jest": ("npx", "--no-install", "jest"),
    "mocha": ("npx", "--no-install", "mocha"),
    "npm": ("npm", "test", "--workspaces"),
    "go": ("go", "test", "./..."),
    "cargo": ("cargo", "test", "--offline", "--workspace"),
    "maven": ("mvn", "-o", "-q", "test"),
    "gradle": ("gradle", "--offline", "--no-daemon", "-q", "test"),
}


@dataclass(frozen=True, slots=True)
class Edit:
    """Replacements in a file; each old text occurs exactly once."""

    blocks: tuple[tuple[str, str], ...]

    def apply(self, text: str) -> str:
        """The text with all replacements. Raises ValueError where an old text does not occur exactly once."""
        for old, new in self.blocks:
            if text.count(old) != 1:
                raise ValueError(f"{old!r} occurs {text.count(old)} times")
            text = text.replace(old, new)
        return text


Change = str | Edit | None  # the whole file, replacements in it, or its end
Patch = Mapping[str, Change]  # by path below the tree


@dataclass(frozen=True, slots=True)
class Fixture:
    """A repository and what is to be done in it."""

    name: str
    about: str
    runner: str  # a key of COMMANDS
    request: str
    commits: tuple[Mapping[str, str], ...]  # the files that each commit writes
    plan: Mapping[str, Any]  # plan.json without what code fills in
    tasks: tuple[Mapping[str, Any], ...]
    gold: Mapping[str, Patch]  # by task
    bad: Mapping[tuple[str, str], Patch]  # by task and name
    broken: Mapping[tuple[str, str], Broken] = field(default_factory=dict)

    @property
    def command(self) -> tuple[str, ...]:
        """What a person types to run the tests."""
        return COMMANDS[self.runner]

    @property
    def files(self) -> dict[str, str]:
        """The files of the last commit."""
        return {path: text for commit in self.commits for path, text in commit.items()}

    def task(self, key: str) -> Mapping[str, Any]:
        return next(task for task in self.tasks if task["id"] == key)

    def order(self) -> list[str]:
        """The tasks, each behind those it depends on."""
        return in_order({task["id"]: [edge["id"] for edge in task["depends_on"]] for task in self.tasks})

    def needed(self, key: str) -> list[str]:
        """The task and all it depends on, in order."""
        wanted = {key}
        for each in reversed(self.order()):
            if each in wanted:
                wanted.update(edge["id"] for edge in self.task(each)["depends_on"])
        return [each for each in self.order() if each in wanted]

    def new_tests(self, key: str) -> list[str]:
        """The test files that the task's right patch creates."""
        return [
            each["path"]
            for each in self.task(key)["files"]
            if each["action"] == "create" and is_test(each["path"])
        ]

    def answer(self, key: str) -> dict[str, Any]:
        """What an honest agent answers after the task's right patch."""
        tests = self.new_tests(key)
        sources = [path for path in self.gold[key] if not is_test(path)]
        criteria = self.task(key)["convergence"]["criteria"]
        return {
            "summary": f"{self.task(key)['title']}: done with tests.",
            "criteria": [{"id": each["id"], "files": sources, "tests": tests} for each in criteria],
            "no_change": None,
            "needs": None,
        }

    def plan_answer(self) -> dict[str, Any]:
        """What an agent answers when it is asked for the plan: code allots the ids of criteria and edges."""
        plan = {key: value for key, value in self.plan.items() if value is not None}
        decisions = [
            {key: value for key, value in each.items() if value is not None}
            for each in plan.get("decisions", [])
        ]
        tasks = [
            {
                **{key: value for key, value in task.items() if value is not None and key != "convergence"},
                "depends_on": [edge["id"] for edge in task["depends_on"]],
                "criteria": [
                    {"text": each["text"], "refs": each["refs"]} for each in task["convergence"]["criteria"]
                ],
            }
            for task in self.tasks
        ]
        return {**plan, "decisions": decisions, "tasks": tasks}


def in_order(waits_for: Mapping[str, Sequence[str]]) -> list[str]:
    """The keys, each behind those that it waits for. Raises ValueError if that is a circle."""
    done: list[str] = []
    while len(done) < len(waits_for):
        ready = [key for key in waits_for if key not in done and set(waits_for[key]) <= set(done)]
        if not ready:
            raise ValueError(f"a circle among {sorted(set(waits_for) - set(done))}")
        done.append(ready[0])
    return done


def is_test(path: str) -> bool:
    """Whether a file of these repositories holds tests."""
    name = path.rsplit("/", 1)[-1]
    return (
        name.startswith("test_")
        or ".test." in name
        or name.endswith(("_test.go", "Test.java"))
        or "/tests/" in f"/{path}"
    )


def read_fixture(name: str, runner: str) -> Fixture:
    """The repository of `material/NAME.txtar`, with the lock file `material/NAME.package-lock.json` where there is one."""
    about, files = unpack((MATERIAL / f"{name}.txtar").read_text(encoding="utf-8"))
    commits: dict[str, dict[str, str]] = {}
    gold: dict[str, dict[str, Change]] = {}
    bad: dict[tuple[str, str], dict[str, Change]] = {}
    broken: dict[tuple[str, str], Broken] = {}
    for path, text in files.items():
        match path.split("/", 3):
            case ["base", number, *rest]:
                commits.setdefault(number, {})["/".join(rest)] = text
            case ["gold", task, *rest]:
                _put(gold.setdefault(task, {}), "/".join(rest), text)
            case ["bad", task, kind, "broken"]:
                broken[task, kind] = Broken(**json.loads(text))
            case ["bad", task, kind, rest_of_it]:
                _put(bad.setdefault((task, kind), {}), rest_of_it, text)
            case ["request" | "plan.json" | "tasks.json"]:
                pass
            case _:
                raise ValueError(f"{name}: what is {path}?")
    lock = MATERIAL / f"{name}.package-lock.json"
    if lock.exists():
        commits["1"]["package-lock.json"] = lock.read_text(encoding="utf-8")
    tasks = tuple(json.loads(files["tasks.json"]))
    plan = {**json.loads(files["plan.json"]), "task_ids": [task["id"] for task in tasks]}
    return Fixture(
        name,
        about,
        runner,
        files["request"].strip(),
        tuple(commits[number] for number in sorted(commits)),
        plan,
        tasks,
        gold,
        bad,
        broken,
    )


def unpack(text: str) -> tuple[str, dict[str, str]]:
    """What stands before the first name, and the files by name."""
    about, *rest = _NAME.split(text)
    return about.strip(), {
        name: body.removeprefix("\n") for name, body in zip(rest[::2], rest[1::2], strict=True)
    }


def _put(patch: dict[str, Change], name: str, text: str) -> None:
    if name.endswith(" (delete)"):
        patch[name.removesuffix(" (delete)")] = None
    elif name.endswith(" (edit)"):
        blocks = tuple((old, new) for old, new in _EDIT.findall(text))
        if not blocks or _EDIT.sub("", text).strip():
            raise ValueError(f"{name}: no block, or words beside the blocks")
        patch[name.removesuffix(" (edit)")] = Edit(blocks)
    else:
        patch[name] = text


def build(fixture: Fixture, folder: Path) -> Path:
    """Make the repository in `folder`: a commit a day on `main`. Returns the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    git(folder, "init", "-q", "-b", "main")
    for number, files in enumerate(fixture.commits):
        apply(files, folder)
        at = f"{FIRST_COMMIT + number * 86_400} +0000"
        git(folder, "add", "-A")
        git(
            folder,
            "commit",
            "-q",
            "-m",
            f"Step {number + 1}",
            GIT_AUTHOR_DATE=at,
            GIT_COMMITTER_DATE=at,
        )
    return folder


def apply(patch: Patch, tree: Path) -> None:
    """Change the files of `tree` by the patch."""
    for path, change in patch.items():
        file = tree / path
        if change is None:
            file.unlink()
            continue
        text = change.apply(file.read_text(encoding="utf-8")) if isinstance(change, Edit) else change
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8", newline="\n")


def _read(runners: Mapping[str, str]) -> dict[str, Fixture]:
    return {name: read_fixture(name, runner) for name, runner in runners.items()}


COMMON = _read(  # what they need is there wherever this product is tested
    {
        "python-flat": "pytest",
        "python-src": "pytest",
        "python-unittest": "unittest",
        "node-esm": "node:test",
    }
)
STACKS = _read(  # for `make stacks`, which installs what they need
    {
        "typescript-vitest": "vitest",
        "typescript-jest": "jest",
        "node-mocha": "mocha",
        "npm-workspaces": "npm",
        "go-module": "go",
        "rust-workspace": "cargo",
        "java-maven": "maven",
        "java-gradle": "gradle",
    }
)
