"""Every English text of the dashboard has a translation, and no translation is of a text that there is no more."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

import orchestrator
from orchestrator.domain.errors import AgentError
from orchestrator.domain.evidence import SEVERITIES
from orchestrator.domain.model import Consensus, RunOutcome, SessionStatus, Severity, TaskStatus
from orchestrator.domain.pauses import PAUSES
from orchestrator.domain.waiting import Held
from orchestrator.views.check import MARKS
from orchestrator.web import forms
from orchestrator.web.language import _VALUE, Language, _values, language, wanted
from orchestrator.web.pages import cost, document, impact
from orchestrator.web.rendering import TEMPLATES
from orchestrator.web.shown import duration, listed, money
from orchestrator.web.translation import texts, translated

CODE = Path(orchestrator.__file__).parent
LANGUAGES = ["zh"]
NAMES = {"git", "mcp", "sqlite"}  # of programs: the same in every language
_SPOKEN = re.compile(r"\bspoken\(\s*\"([^\"]+)\"")


@pytest.fixture(params=LANGUAGES)
def spoken(request: pytest.FixtureRequest) -> Language:
    return language(request.param)


def of_templates() -> set[str]:
    return {text for file in TEMPLATES.glob("*.html") for text in texts(file.read_text(encoding="utf-8"))}


def of_handlers() -> set[str]:
    """The texts that handlers pass to `text`, wherever they got it from."""
    found = {", ", *forms._SAYS.values(), *forms._ASKS.values()}
    for file in (CODE / "web").rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and node.args and _name(node.func) == "text":
                found |= {each.value for each in node.args[:1] if isinstance(each, ast.Constant)}
    return found


def of_scripts() -> set[str]:
    files = (CODE / "web" / "static").glob("*.js")
    return {text for file in files for text in _SPOKEN.findall(file.read_text(encoding="utf-8"))}


def of_views() -> set[str]:
    """Words that pages take from the values of views."""
    words = {*MARKS.values(), *Consensus, *Severity, *RunOutcome, *SessionStatus, *TaskStatus}
    words |= {str(each).replace("_", " ") for each in (*PAUSES, *Held)}
    words |= {pause.resume for pause in PAUSES.values()}
    words |= {f"{severity} findings" for severity in SEVERITIES}  # rows of a comparison
    words |= {each.kind for each in (AgentError, *_below(AgentError))} | {"answered", "mined", "cut off"}
    words |= set(
        re.findall(r"Check\(\s*\"([a-z]+)\"", (CODE / "views" / "doctor.py").read_text(encoding="utf-8"))
    )
    words |= {*cost.PARTS.values(), *document.FOLDERS.values(), *impact.ORDER, *forms.REWORK}
    for file in TEMPLATES.glob("*.html"):  # the texts among the values of a template: `'none' | word`
        for value in re.findall(r"\{\{.*?\}\}", file.read_text(encoding="utf-8"), re.DOTALL):
            if "| word" in value:
                words |= {text for text in re.findall(r"'([A-Za-z][A-Za-z ]+)'", value) if text != "paused"}
    return {str(each) for each in words} - NAMES


def _below(kind: type[AgentError]) -> Iterator[type[AgentError]]:
    for each in kind.__subclasses__():
        yield each
        yield from _below(each)


def _name(function: ast.expr) -> str:
    return function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")


def lines(missing: set[str]) -> str:
    """What to add to the catalogue."""
    return "\n".join(f'"{text}" = ""' for text in sorted(missing))


def test_every_text_of_a_page_is_translated(spoken: Language) -> None:
    missing = (of_templates() | of_handlers()) - set(spoken.texts)
    assert not missing, f"config/labels/web.{spoken.name}.toml lacks below [texts]:\n{lines(missing)}"


def test_every_text_of_a_script_is_translated(spoken: Language) -> None:
    missing = of_scripts() - set(spoken.scripts)
    assert not missing, f"config/labels/web.{spoken.name}.toml lacks below [scripts]:\n{lines(missing)}"


def test_every_word_that_views_give_to_pages_is_translated(spoken: Language) -> None:
    missing = {word for word in of_views() if spoken.word(word) == word}
    assert not missing, f"config/labels/web.{spoken.name}.toml lacks below [phrases]:\n{lines(missing)}"


def test_no_translation_is_of_a_text_that_there_is_no_more(spoken: Language) -> None:
    stale = set(spoken.texts) - of_templates() - of_handlers()
    stale |= set(spoken.scripts) - of_scripts()
    stale |= {phrase for phrase in set(spoken.phrases) - of_views() if not _is_written(phrase)}
    assert not stale, sorted(stale)


@cache
def _sources() -> str:
    root = CODE.parent
    files = [*(CODE.rglob("*.py")), *((root / "workers").rglob("*.py")), *((root / "config").rglob("*.yaml"))]
    return "\n".join(
        re.sub(r"\"\s*\n\s*f?\"", "", file.read_text(encoding="utf-8")).replace("_", " ") for file in files
    )


def _is_written(phrase: str) -> bool:
    """Whether each part of a phrase that holds no value stands somewhere in the program."""
    parts = [part.strip(" .,:()'?") for part in re.split(r"\{\d\}", phrase)]
    return all(part[:1].lower() + part[1:] in _sources() or part in _sources() for part in parts if part)


def test_translations_use_the_values_of_their_texts(spoken: Language) -> None:
    wrong = [
        english
        for section in (spoken.texts, spoken.phrases, spoken.scripts)
        for english, text in section.items()
        if not text or not set(_places(text)) <= set(_places(english))
    ]
    assert wrong == []


def _places(text: str) -> Iterator[str]:
    return iter(re.findall(r"\{\d\}", text))


@pytest.mark.parametrize(
    ("headers", "name"),
    [
        ({}, "en"),
        ({"accept-language": "zh-CN,zh;q=0.9,en;q=0.8"}, "zh"),
        ({"accept-language": "en-GB, zh;q=0.9"}, "en"),
        ({"accept-language": "zh;q=0.8, en;q=0.9"}, "en"),
        ({"accept-language": "fr, zh-Hant-TW;q=0.5, en;q=0.4"}, "zh"),
        ({"accept-language": "fr, de"}, "en"),
        ({"accept-language": "zh;q=0"}, "en"),
        ({"accept-language": "zh;q=2, *;q=0.1"}, "en"),
        ({"accept-language": "*"}, "en"),
        ({"accept-language": "ZH-cn"}, "zh"),
        ({"accept-language": "en", "cookie": "lc-8470=x; lc-language=zh"}, "zh"),
        ({"accept-language": "zh", "cookie": "lc-language=en"}, "en"),
        ({"accept-language": "zh", "cookie": "lc-language=../fr"}, "zh"),
    ],
)
def test_the_language_is_the_chosen_one_or_the_one_that_the_browser_prefers(
    headers: dict[str, str], name: str
) -> None:
    assert wanted(headers).name == name


def test_a_template_is_translated_text_by_text_and_its_values_stay() -> None:
    source = '<p title="Say {{ b }}">By {{ a | x }},\n  {{ b }} times</p>{% if a > 1 %}yes{% endif %}<code>By</code>'
    own = {"By {0}, {1} times": "{1} x {0}", "Say {0}": "{0}!", "yes": "ja", "By": "wrong"}

    made = translated(source, own.get)

    assert made == '<p title="{{ b }}!">{{ b }} x {{ a | x }}</p>{% if a > 1 %}ja{% endif %}<code>By</code>'
    assert list(texts(source)) == ["Say {0}", "By {0}, {1} times", "yes"]


def test_sentences_of_views_are_translated_with_the_words_in_them() -> None:
    zh = language("zh")

    said = zh.said("waiting for you: checkpoint; resume would approve what was shown.")

    assert said == "等待您处理：检查点；继续将会批准所显示的内容。"
    assert zh.said("A <b> of\u202e ours") == '<span lang="en">A &lt;b&gt; of\\u202e ours</span>'
    assert zh.said("已经是中文 text") == "已经是中文 text"
    assert language("en").said("A <b> of ours") == "A <b> of ours"


@pytest.mark.parametrize(
    ("phrase", "said", "values"),
    [
        ("{0} by run {1} ({2}, {3} s)", "done by run r (x, 3 s)", ["done", "r", "x", "3"]),
        ("{0} of {1}", "a of b of c", ["a", "b of c"]),
        ("{0}, {1}", "a, ", None),
        ("was {0}", "was", None),
        ("{0} by run {1} ({2}, {3} s)", " by run (," * 90, None),
    ],
)
def test_the_values_of_a_sentence_stand_between_its_fixed_words(
    phrase: str, said: str, values: list[str] | None
) -> None:
    parts = _VALUE.split(phrase)[::2]

    assert _values(parts, said) == values


def test_values_are_written_as_the_language_does() -> None:
    en, zh = language("en"), language("zh")
    unknown = {"unpriced": 2, "usd": 0.0}

    assert [duration(each, en) for each in (5, 125, 7500, 200_000)] == [
        "5 s",
        "2 min 05 s",
        "2 h 05 min",
        "2 d 07 h",
    ]
    assert [duration(each, zh) for each in (5, 125, 7500, 200_000)] == [
        "5 秒",
        "2 分 05 秒",
        "2 小时 05 分",
        "2 天 07 小时",
    ]
    assert (money(unknown, en), money(unknown, zh), money({"unpriced": 1, "usd": 0.5}, zh)) == (
        "unknown",
        "未知",
        "$0.50+",
    )
    assert (listed(["a", "b"], en), listed(["a", "b"], zh)) == ("a, b", "a、b")
