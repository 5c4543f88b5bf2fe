"""Which goals a requirement serves: by the words that both hold and few others do. A weak likeness is no trace."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from orchestrator.domain.text import keywords

_MOST_GOALS = 2  # of one requirement
_MEASURES = keywords(
    "zero one two three four five six seven eight nine ten half first second time times minute hour day week month quarter "
    "year percent median average number per within under over below above least most than more fewer less every each all "
    "time spent today "
    "秒钟 分钟 小时 时间 个月 百分 以内 以上 以下 不超 超过 低于 高于 至少 最多 "
    "平均 中位 位数 每天 每周 每月 目标 需求 支持 系统"
)


def served(
    texts: Sequence[str], goals: Sequence[str], *, things: Iterable[str] = (), ignored: Iterable[str] = ()
) -> list[tuple[int, ...]]:
    """For each text the goals it serves, best first, as positions in `goals`; none where the likeness is weak.

    Words of `ignored` (people, the product), figures and units link nothing, nor do words that a fifth of the texts hold.
    Two shared words make a link; one is enough where it names one of `things` or is all that the goal says.
    """
    idle = _MEASURES | {word for text in ignored for word in keywords(text)}
    named = frozenset(word for thing in things for word in keywords(thing))
    held = [_words(text, idle) for text in texts]
    wanted = [_words(text, idle) for text in goals]
    spread = Counter(word for words in held for word in words)
    common = max(3, len(texts) // 5)
    found = []
    for words in held:
        scored = []
        for at, goal in enumerate(wanted):
            shared = [word for word in words & goal if spread[word] <= common]
            if len(shared) > 1 or named.intersection(shared) or (shared and len(goal) == 1):
                scored.append((sum(1 / spread[word] for word in shared), -at))
        scored.sort(reverse=True)
        found.append(tuple(-at for share, at in scored[:_MOST_GOALS] if share >= scored[0][0] / 2))
    return found


def _words(text: str, idle: frozenset[str]) -> frozenset[str]:
    return frozenset(word for word in keywords(text) - idle if not word[0].isdigit())
