"""Whether a request asks for anything: a greeting, "do it" or "test" names nothing that a team could make.

Decided by rules, the same for each mode and each interface. A word is filler (it names nothing: "hello", "please", "it"),
a verb that says what to do and not to what ("fix", "build", "do"), a trial ("test"), or what the request is about: any
other word. A request asks for something when it has a word of the last kind, or two verbs of which one is the object of
the other ("add a test"). Where a specification or a change is given, that is the object and a verb is enough ("build it").
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from orchestrator.domain.errors import UsageError
from orchestrator.domain.patterns import expression
from orchestrator.domain.text import TOKEN, is_cjk, keywords, overlap

_FILLER = frozenset(
    """
    hello hi hey hiya hallo howdy greetings yo hola bonjour salut ciao ola привет salve servus namaste welcome bye goodbye
    morning afternoon evening night day good dear team there everyone everybody all thanks thank thx cheers please pls
    kindly merci danke gracias ok okay yes yeah yep no nope sure fine cool nice great hmm hm um uh oh ah wow lol haha
    a an the this that these those it its i'm im i me my mine we us our you your he she they them him her some any
    something anything nothing everything stuff thing things whatever someone one once
    and or but so if then else than of to in on at by for from with as into about up out over
    is are am be was were been being has have had having can could would will shall should may might must let lets let's
    want wants need needs like wish just now today soon again more most much many less very really quite too also only
    maybe perhaps not don't dont here what who why how where when which whats what's how's whos
    better best well nicely properly right correct correctly good-looking nicer faster quickly fast work works working
    awesome amazing perfect useful interesting new different thingy
    asdf asdfasdf asdfgh qwerty foo bar baz foobar blah bla lorem ipsum dolor xyz abc aaa aaaa xxx n/a na none null nil
    undefined placeholder tbd
    """.split()  # noqa: SIM905 - a list of words is read more easily as words
)
_LIGHT = frozenset(
    """
    do does doing done make makes making made go get give show tell say think help assist start begin continue
    proceed finish complete try 做 弄 搞 完成 继续 开始 帮助 作って やって
    """.split()  # noqa: SIM905 - a list of words is read more easily as words
)
_PROBES = frozenset("test testing tested 测试 试试 试 テスト 테스트".split())  # noqa: SIM905
_ACTIONS = frozenset(
    """
    create build run execute check fix repair solve change edit update improve optimize optimise refactor rewrite write
    code implement develop design plan add remove delete analyse analyze review research investigate explore explain
    写 改进 改善 改 修复 修 优化 实现 开发 创建 新建 添加 增加 删除 更新 运行 执行 检查 分析 设计
    """.split()  # noqa: SIM905 - a list of words is read more easily as words
)
_CJK_FILLER = frozenset(
    """
    大家好 你们好 你好啊 你好 您好 早上好 下午好 晚上好 早安 晚安 哈喽 嗨 嘿 喂 在吗 谢谢 多谢 感谢 再见 好的 可以
    可不可以 能不能 是不是 请问 麻烦 拜托 随便 什么 怎么 为什么 东西 事情 有没有 这样 那样 这个 那个 这些 那些 它们
    我们 你们 他们 一下 一点 一些 一个 更好 好一点 好点 变好 好 更 快 想要 需要 帮忙 帮我 帮 给我 给 请 让 把 我 你
    您 他 她 它 这 那 些 有 是 在 的 了 吧 啊 呢 吗 呀 哦 嗯 着 得 地 就 都 也 还 再 会 能 要 想 来 去 看 说 点 下
    个 和 或 不 没 一 用
    こんにちは おはよう こんばんは ありがとう よろしく はい お願いします お願い ください して 何か これ それ
    안녕하세요 안녕 감사합니다
    """.split()  # noqa: SIM905 - a list of words is read more easily as words
)
_GIVEN = frozenset(
    """
    say says said describe describes described written spec specification specifications file document page
    """.split()  # noqa: SIM905 - a list of words is read more easily as words
)
_VERBS = _LIGHT | _PROBES | _ACTIONS
_CJK = expression(
    "|".join(
        sorted((re.escape(word) for word in {*_CJK_FILLER, *_VERBS} if is_cjk(word)), key=len, reverse=True)
    )
)
_ROWS = ("qwertyuiop", "qwertzuiop", "azertyuiop", "asdfghjkl", "qsdfghjklm", "zxcvbnm", "yxcvbnm", "wxcvbn")
_KEYS = (*_ROWS, *(row[::-1] for row in _ROWS))
_RUN = 3  # keys side by side that are a run
_FILE = expression(r"[\w./~-]{1,200}\.(?:md|markdown|txt|rst|adoc|docx?|pdf|html?|json|ya?ml)", re.I)
SHOWN = 60  # characters of a request that its refusal repeats


class NothingAsked(UsageError):
    """The request names nothing to do: a greeting, a word such as "it", or an action without an object."""

    remedy = 'say what to make or to change: lifecycle start "Build a URL shortener with an admin dashboard"'


def check_asks(request: str, *, object_given: bool) -> None:
    """Raise NothingAsked for a request that asks for nothing.

    `object_given`: there is a specification or a change that the request is about, so that a verb is enough.
    """
    name = request.strip()
    if _FILE.fullmatch(name):
        raise NothingAsked(
            "the request asks for nothing",
            why=f"{name!r} is the name of a file, and not what it says",
            fix=f"give the file: lifecycle start @{name}",
        )
    verbs = set(_words(request))
    if verbs - _VERBS:
        return
    actions = verbs & _ACTIONS
    if len(actions) > 1 or (actions and verbs & _PROBES) or (object_given and verbs - _PROBES):
        return
    said = request if len(request) <= SHOWN else request[: SHOWN - 1] + "…"
    raise NothingAsked(
        "the request asks for nothing",
        why=f"{said!r} says what to do, and not to what"
        if actions
        else f"{said!r} names nothing to do and nothing to make",
    )


def only_points(request: str) -> bool:
    """Whether a request says no more than to make what is given with it: `Build what it says`."""
    return all(word in _VERBS or word in _GIVEN for word in _words(request))


def names_nothing(text: str) -> bool:
    """Whether no word of a text says what it is about: greetings, trials, keys struck at random."""
    return all(word in _LIGHT or word in _PROBES for word in _words(text))


def _is_struck_at_random(word: str) -> bool:
    """Whether a word is one letter again and again, or letters that lie side by side on a keyboard: `asdf`, `qwer`."""
    if len(word) < 4:
        return False
    at = 0
    while at < len(word) and len(set(word)) > 1:
        ends = (
            end for end in range(len(word), at + _RUN - 1, -1) if any(word[at:end] in row for row in _KEYS)
        )
        at = next(ends, 0)
        if not at:
            return False
    return True


def is_about(request: str, text: str) -> bool:
    """Whether a text can be what a request is about: more than a third of its words occur there.

    Words that name nothing do not count ("Build it" is about anything), nor can a request in another script be judged.
    """
    subject = " ".join(word for word in _words(request) if word not in _VERBS)
    return not keywords(subject) or is_cjk(subject) != is_cjk(text) or overlap(subject, text) > 1 / 3


def _words(request: str) -> Iterator[str]:
    """The words of a request that are no filler, in lower case; a number counts behind `#` only, as that of an issue."""
    for found in TOKEN.finditer(request):
        word = found.group().lower().replace("’", "'")
        if is_cjk(word):
            yield from (verb for verb in _CJK.findall(word) if verb in _VERBS)
            if rest := _CJK.sub("", word):
                yield rest
        elif word.isdecimal():
            if request[: found.start()].endswith("#"):
                yield f"#{word}"
        elif word not in _FILLER and len(word) > 1 and not _is_struck_at_random(word):
            yield word
