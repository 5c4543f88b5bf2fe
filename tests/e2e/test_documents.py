"""What comes out, by the real command with no agent configured: true to the input, whole, linked, and the same each time.

Four inputs: a one-liner, an English and a Chinese idea, and the README of a repository with its sources. Each is run once.

How much two specifications share: a document is cut into statements (lines, cells and sentences without marks, links and
identifiers). What stands word for word in a template, a label or the agent's fixed wording is left out; wording that was
filled with words of a request counts. The shared ones are divided by those of the smaller specification.
"""

from __future__ import annotations

import hashlib
import importlib.metadata
import json
import re
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from itertools import combinations, pairwise
from pathlib import Path

import pytest
from ruamel.yaml import YAML

from orchestrator.config import resources
from tests.e2e.support import ROOT, Lifecycle, lifecycle
from tests.patience import patient
from tests.rows import common
from workers.documents.labels import labels
from workers.documents.lexicon import lexicon

SENTENCE = 5  # words; anything shorter is a label or a cell
SECONDS = 60  # from command to finished session
IDEAS = Path(__file__).parents[1] / "data" / "ideas"
ONE_LINER = "Build a URL shortener with an admin dashboard"
WISH = "Visitors must be able to export a QR code for every link"
LINES = {  # requests of one sentence
    "line": ONE_LINER,
    "change": "Add two-factor authentication to our Django app",
    "refactor": "Refactor the billing module into a separate service",
    "tool": "Write a CLI that converts CSV files to Parquet and validates them against a schema",
}
LIBRARY = "rich"  # an installed library: sources and README of a real repository
_ID = re.compile(r"(?<![A-Za-z])(?:G|REQ|NFR-(?:P|SC|S|U)|ADR|EPIC|STORY-\d{3})-\d{3}(?!\d)")
_LINK = re.compile(r"\[((?:\\.|[^\]\\])*)\]\(([^)\s]+)\)")
_OWN = "S M L XL LOW MEDIUM HIGH PARTIAL Must Should Could Won Given MVP"  # words of the rules, the same in every language
_COUNTING = ("counted", "epic_counted", "gate_line", "by", "order_item")  # labels that are filled with counts


@dataclass(frozen=True)
class Made:
    request: str
    known: str  # the request and what the repository holds
    project: Lifecycle
    session: str
    seconds: float

    @property
    def folder(self) -> Path:
        return self.project.directory(self.session)

    def pages(self) -> dict[str, str]:
        found = sorted([*self.folder.glob("spec/**/*.md"), *self.folder.glob("discussions/*.md")])
        return {str(path.relative_to(self.folder)): path.read_text(encoding="utf-8") for path in found}

    def items(self, *kinds: str) -> str:
        named = tuple(f"{kind}-" for kind in kinds)
        return "\n".join(text for path, text in self.pages().items() if Path(path).name.startswith(named))


def _repository(folder: Path) -> str:
    """The sources and the README of an installed library; returns everything in it."""
    found = importlib.metadata.distribution(LIBRARY)
    readme = (found.read_text("METADATA") or "").partition("\n\n")[2]
    (folder / "README.md").write_text(readme, encoding="utf-8")
    said = [readme]
    for name in found.files or []:
        if name.suffix == ".py" and name.parts[0] == LIBRARY:
            text = Path(str(found.locate_file(name))).read_text(encoding="utf-8")
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(text, encoding="utf-8")
            said += [str(name), text]
    manifest = f'[project]\nname = "{LIBRARY}"\ndependencies = ["pygments", "markdown-it-py"]\n'
    (folder / "pyproject.toml").write_text(manifest)
    return "\n".join([*said, "pyproject.toml Python", manifest])


def _start(project: Lifecycle, argument: str, request: str, known: str = "") -> Made:
    began = time.monotonic()
    gave = project.run("start", argument)
    seconds = time.monotonic() - began
    assert gave.code == 0, gave.err
    return Made(request, request + known, project, project.session(), seconds)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[str], Made]]:
    """Makes a specification by the name of its input, once."""
    done: dict[str, Made] = {}
    opened = []

    def get(name: str) -> Made:
        if name not in done:
            context = lifecycle(tmp_path_factory.mktemp("documents") / "p")
            project = context.__enter__()
            opened.append(context)
            if name in LINES:
                done[name] = _start(project, LINES[name], LINES[name])
            elif name == "repository":
                known = _repository(project.folder)
                done[name] = _start(
                    project, "@README.md", (project.folder / "README.md").read_text("utf-8"), known
                )
            else:
                text = (IDEAS / name).read_text(encoding="utf-8")
                (project.folder / name).write_text(text, encoding="utf-8")
                done[name] = _start(project, f"@{name}", text)
        return done[name]

    yield get
    for context in opened:
        context.__exit__(None, None, None)


INPUTS = ["line", "clinic-booking.md", "log-shipper.zh.md", "repository"]
OFTEN = ["line", "log-shipper.zh.md"]  # in each run of the tests
Making = Callable[[str], Made]


@pytest.mark.parametrize("name", common(INPUTS, OFTEN))
def test_session_completes_in_time_and_its_gate_does_not_fail(made: Making, name: str) -> None:
    spec = made(name)

    (row,) = spec.project.rows("SELECT status, gate FROM sessions WHERE id = ?", spec.session)
    assert row[0] == "completed" and row[1] in ("PASS", "REVIEW")
    assert spec.seconds < patient(SECONDS)


STATED = {  # what a reader would call the requirements of the idea, sentence by sentence
    "clinic-booking.md": (
        r"## What it has to do\n(.*?)\n\n## Limits\n(.*?)- We already pay",
        r"(?<=[.;])\s+(?:- )?|^- ",
    ),
    "log-shipper.zh.md": (r"需求:\n(.*?)约束:(.*?)\n\n", r"[。;]\s*(?:\d\. )?|^\d\. "),
}


@pytest.mark.parametrize("name", STATED)
def test_each_requirement_sentence_is_carried_by_a_requirement(made: Making, name: str) -> None:
    spec = made(name)
    block, ends = STATED[name]
    found = re.search(block, spec.request, re.DOTALL)
    assert found
    said = [piece for part in found.groups() for piece in re.split(ends, part, flags=re.MULTILINE)]
    sentences = [" ".join(piece.split()).strip(" -.。;") for piece in said if piece.strip(" -.\n")]

    carried = _plain(spec.items("REQ", "NFR"))

    assert len(sentences) >= 10
    assert [sentence for sentence in sentences if sentence not in carried] == []


def _plain(text: str) -> str:
    """A page without the marks of its format."""
    return re.sub(r"\\([\\`*_{}\[\]()#+.!|<>~&-])", r"\1", _LINK.sub(r"\1", text))


def _body(page: str) -> str:
    return re.sub(r"<!--.*?-->", "", page.split("\n---\n", 1)[1], flags=re.DOTALL)


def _statements(page: str) -> set[str]:
    prose = re.sub(r"```.*?```", "", _body(page), flags=re.DOTALL)
    found = set()
    for line in prose.splitlines():
        bare = re.sub(r"^\s*(?:[-*>#]+|\d+\.)\s+|\*\*|`", "", _plain(line))
        for cell in re.split(r"\s*\|\s*", bare):
            for sentence in re.split(r"(?<=[.?!。？！])\s*(?=\S)|\s\*\(|\)\*", _ID.sub("", cell)):
                said = " ".join(sentence.split()).strip(" ,:：;；.。*()-–")
                if re.search(r"[^\W\d_]", said):
                    found.add(said)
    return found


@cache
def _fixed() -> frozenset[str]:
    """Everything that templates, labels and the agent's wording say word for word."""
    texts = [*lexicon("en").wording.values(), *lexicon("zh").wording.values()]
    for path in (ROOT / "config").rglob("*"):
        if path.suffix in (".yaml", ".j2"):
            texts += path.read_text(encoding="utf-8").splitlines()
    pieces = {_clean(piece) for text in texts for piece in (text, *re.split(r"(?<=[.。])\s*|: |：", text))}
    return frozenset(pieces)


def _clean(text: str) -> str:
    return " ".join(text.split()).strip(" ,:：;；.。*()-–'\"")


@pytest.mark.parametrize(("one", "other"), common(combinations(LINES, 2), [("line", "tool")]))
def test_two_requests_of_one_sentence_share_less_than_half_of_their_sentences(
    made: Making, one: str, other: str
) -> None:
    """Such requests say little, so much of their documents is form: a label before fixed words is form too."""
    said = [
        {
            line
            for page in made(name).pages().values()
            for line in _statements(page)
            if len(line.split()) >= SENTENCE and not _is_form(line)
        }
        for name in (one, other)
    ]

    share = len(said[0] & said[1]) / min(map(len, said))

    assert min(map(len, said)) > 30
    assert share < 0.5, sorted(said[0] & said[1])


def _counting() -> list[str]:
    """The phrases of the labels with figures in their places, such as `2 Must, 0 Should`."""
    phrases = [text.rstrip(".") for text in labels("en").words.values() if "{" in text]
    return [re.sub(r"\\\{\w+\\\}", r"[\\d./]+", re.escape(text)) + r"\.?" for text in phrases]


def _is_form(line: str) -> bool:
    """Fixed words, also behind a label: `Open question: Who will use it?`, and phrases that only figures fill."""
    if any(re.fullmatch(pattern, line) for pattern in _counting()):
        return True
    if line.startswith("Answer its question, or say more in "):  # the rest is the title of a section
        return True
    fixed = {piece.rstrip("?") for piece in _fixed()}
    label, _, rest = line.partition(": ")
    return line.rstrip("?") in fixed or (bool(rest) and label in fixed and _is_form(rest))


@pytest.mark.parametrize(("one", "other"), common(combinations(INPUTS, 2), combinations(OFTEN, 2)))
def test_two_requests_share_less_than_half_of_what_is_said(made: Making, one: str, other: str) -> None:
    said = [
        {line for page in made(name).pages().values() for line in _statements(page)} - _fixed()
        for name in (one, other)
    ]

    share = len(said[0] & said[1]) / min(map(len, said))

    assert min(map(len, said)) > 50
    assert share < 0.5, sorted(said[0] & said[1])


@pytest.mark.parametrize("name", common(INPUTS, OFTEN))
def test_no_number_name_or_address_is_invented(made: Making, name: str) -> None:
    """Counts and scores are the product's own: cells that are a number, the labels made for counts, and the report."""
    spec = made(name)
    labels = (resources() / "config" / "labels").glob(
        "*.toml"
    )  # forms of decisions and criteria are the product's own
    fixed = " ".join([*_fixed(), *(file.read_text(encoding="utf-8") for file in labels)])
    words = {_stem(word) for word in re.findall(r"[A-Za-z][\w+#]*", f"{spec.known} {fixed} {_OWN}")}
    numbers = set(re.findall(r"\d+", spec.known))
    addresses = spec.known

    for path, page in spec.pages().items():
        prose = _LINK.sub(r"\1", re.sub(r"```.*?```", "", _body(page), flags=re.DOTALL))
        assert [
            found for found in re.findall(r"https?://[^\s)*`]+", prose) if found not in addresses
        ] == [], path
        for line in prose.splitlines():
            plain = _plain(_ID.sub("", line))
            for word in re.findall(
                r"\b[A-Z][\w+#]*", re.sub(r"\b(?:DRAFT|RESEARCH|QUALITY|DISCUSS)-\d{3}", "", plain)
            ):
                assert words & _bases(word), (path, line)
            if not _counts(plain, path):
                bare = re.sub(
                    r"^\s*\d+\.\s|\b(?:DRAFT|RESEARCH|QUALITY|DISCUSS)-\d{3}|\|\s*\d+(?:\.\d+)?\s*(?=\|)",
                    " ",
                    plain,
                )
                assert [found for found in re.findall(r"\d+", bare) if found not in numbers] == [], (
                    path,
                    line,
                )


def _stem(word: str) -> str:
    low = word.lower()
    return re.sub(r"ies$", "y", low) if low.endswith("ies") else low.rstrip("s")


def _bases(word: str) -> set[str]:
    """What a word may be a form of: an epic is named `Joining a queue` after a story that says `join`."""
    stem = _stem(word)
    if len(stem) < 6 or not stem.endswith("ing"):
        return {stem}
    base = stem[:-3]
    return {stem, base, f"{base}e", base[:-1] if base[-1] == base[-2] else base}


def _counts(line: str, path: str) -> bool:
    return (
        "readiness-report" in path
        or "DISCUSS-006" in path
        or re.fullmatch(r"- … \+\d+", line.strip()) is not None  # how many more there are than a list shows
        or any(form.search(line) for form in _count_forms())
    )


@cache
def _count_forms() -> tuple[re.Pattern[str], ...]:
    found = []
    for language in ("en", "zh"):
        words = YAML(typ="safe").load(ROOT / "config" / "labels" / f"{language}.yaml")["words"]
        for key in _COUNTING:
            found.append(re.compile(re.sub(r"\\\{\w+\\\}", ".+?", re.escape(words[key]))))
    found.append(re.compile(r"^- [^:：]+[:：] [\d.]+$"))
    return tuple(found)


@pytest.mark.parametrize("name", common(INPUTS, OFTEN))
def test_each_relative_link_leads_to_a_file_and_a_heading(made: Making, name: str) -> None:
    spec = made(name)

    for path, page in spec.pages().items():
        for _, target in _LINK.findall(_body(page)):
            if "://" in target:
                continue
            file, _, anchor = target.partition("#")
            there = (spec.folder / path).parent / file if file else spec.folder / path
            assert there.is_file(), (path, target)
            if anchor:
                headings = re.findall(r"^#+ (.+)$", there.read_text(encoding="utf-8"), re.MULTILINE)
                assert anchor in [re.sub(r"[^\w-]", "", text.lower().replace(" ", "-")) for text in headings]


@pytest.mark.parametrize("name", common(INPUTS, OFTEN))
def test_frontmatter_says_what_the_document_is(made: Making, name: str) -> None:
    spec = made(name)
    yaml = YAML(typ="safe")

    for path, page in spec.pages().items():
        assert page.startswith("---\n"), path
        front = yaml.load(page.split("\n---\n", 1)[0])
        assert front["session_id"] == spec.session, path
        wanted = {"phase", "document_type", "status", "generated_at", "version", "dependencies"}
        assert wanted <= set(front), path
        assert all((spec.folder / needed).is_file() for needed in front["dependencies"]), path
        levels = [
            len(marks)
            for marks in re.findall(
                r"^(#+) ", re.sub(r"```.*?```", "", _body(page), flags=re.DOTALL), re.MULTILINE
            )
        ]
        assert levels.count(1) == 1 and levels[0] == 1, path
        assert all(deeper - level <= 1 for level, deeper in pairwise(levels)), path


def test_same_request_gives_the_same_documents(made: Making) -> None:
    first = made("line")
    project = first.project

    again = _start(project, ONE_LINER, ONE_LINER)

    assert again.session != first.session
    assert _stampless(again) == _stampless(first)


def _stampless(spec: Made) -> dict[str, str]:
    return {
        path: re.sub(r"\d{4}-\d\d-\d\dT[\d:.]+Z", "T", page.replace(spec.session, "S"))
        for path, page in spec.pages().items()
    }


def test_demand_of_a_revision_gets_an_id_that_the_design_refers_to(made: Making) -> None:
    spec = made("clinic-booking.md")
    before, files = _contents(spec), _digests(spec)

    gave = spec.project.run("revise", "DRAFT-002", WISH, "--session", spec.session)

    assert gave.code == 0, gave.err
    after, now = _contents(spec), _digests(spec)
    (new,) = set(after["requirements"]) - set(before["requirements"])
    assert new.startswith("REQ-") and WISH in json.dumps(after["requirements"][new])
    assert new in spec.items("ADR") + spec.items("EPIC")
    untouched = [
        name for kind in before for name, item in before[kind].items() if after[kind].get(name) == item
    ]
    assert set(before["requirements"]) <= set(untouched)
    assert {name: now[name] for name in untouched} == {name: files[name] for name in untouched}


def _contents(spec: Made) -> dict[str, dict[str, object]]:
    """Items by document and identifier."""
    lists = {"requirements": "items", "architecture": "adrs", "epics": "items"}
    return {
        kind: {
            item["id"]: item
            for item in json.loads((spec.folder / f"spec/.content/{kind}.json").read_text())["content"][name]
        }
        for kind, name in lists.items()
    }


def _digests(spec: Made) -> dict[str, str]:
    found = {}
    for path in spec.folder.glob("spec/*/*.md"):
        name = _ID.match(path.name)
        if name:
            found[name[0]] = hashlib.sha256(path.read_bytes()).hexdigest()
    return found
