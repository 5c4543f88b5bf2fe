"""What is bad today, told from what should be better: `we miss half of the calls`, not `nobody misses a call`."""

# ruff: noqa: E501 - patterns are read whole

from __future__ import annotations

import re

from orchestrator.domain.patterns import expression
from orchestrator.domain.text import is_cjk

_BAD = expression(
    r"\b(?:miss(?:es|ed)?|los(?:es?|t|ing)|forgets?|forgot(?:ten)?|keeps? (?:on )?(?:forgetting|losing|missing|asking|calling|phoning|ringing|complaining|arguing|coming|turning up)|waits?|waiting (?:for|in|on)|wastes?|wasted|fails?|failed|complains?|overlooks?|overlooked|struggles?|quarrels?|argues?|suffers?|annoys?|confuses?|gets? (?:lost|stuck|confused|mixed up|forgotten)|go(?:es)? (?:missing|wrong|stale|unanswered|unnoticed)|went wrong|breaks? down"
    r"|costs? (?:us|me|them|each|every|about|up to|over|more|too|time|money|hours|days|a lot|an? \w+|\d|ten|half)"
    r"|takes? (?:us |me |them )?(?:too|up to|over|hours|days|weeks|ages|forever|all day|half|an? (?:hour|day|week|morning|evening)|about (?:\d|an|ten|two|three)|[\d.]+ (?:min|hour|day|week)\w*|(?:two|three|five|ten|twenty|thirty) \w+)"
    r"|too (?:long|slow|slowly|many|much|often|late|expensive|few|little|hard|complicated)|double[- ]?(?:booked|bookings?|booking)|(?:booked|entered|typed|paid|ordered|counted|written|copied|asked) (?:twice|two times)"
    r"|can(?:not|['’]t)|could(?: not|n['’]t)|(?:nobody|no one|no-one) (?:\w+ )?(?:knows?|sees?|can|notices?|finds?|remembers?|is sure|has|dares?|answers?|looks?|feels?)|(?:never|not|hardly) (?:sure|know|knows|clear)|(?:do|does)(?: not|n['’]t) (?:know|see|find|notice|remember|work|match|agree)|have no idea|has no idea|by hand|manually|on paper|error-prone|out of date|outdated|unreliable|slow|broken|wrong|empty|chaos|chaotic|mess|messy|for nothing|in vain|never (?:match|matches|fits?|works?|agrees?|adds? up)|tedious|painful|scattered|(?:often|always|usually|come|comes|days?|hours?|minutes) late|overbooked|duplicates?|no-shows?|twice)\b"
    r"|超时|卡死|卡住|卡顿|崩溃|报错|死机|宕机|闪退|掉线|浪费|丢失|丢|忘记|忘了|忘|错过|漏掉|漏接|漏|等(?:太久|很久|半天|[\d一二两三四五六七八九十半几]+个?(?:小时|分钟|天))|太[慢多久长贵难晚乱]|出错|弄错|失败|投诉|抱怨|找不到|看不到|无法|不知道|不清楚|麻烦|重复(?:预订|预约|录入|登记)|手工|人工|纸质|排队|混乱|耗时|费时|花(?:费|掉)",
    re.IGNORECASE,
)
_BETTER = expression(  # words by which it is told of what should be
    r"\b(?:no longer|any ?more|any longer|fewer|less|without|instead|reduc\w*|lower|shorten\w*|cut(?:s|ting)? (?:down|costs|the (?:time|number|costs?))|halv\w*|stop\w*|avoid\w*|prevent\w*|eliminat\w*|get rid|should|must|shall|will|won['’]t|would|want\w*|wish\w*|hope\w*|like to|goal|aim|needs? to|be able|able to|never again|so that|no more|(?<!nobody )(?<!no one )(?<!cannot )(?<!can['’]t )(?<!not )(?:sees?|warns?|reminds?|shows?) (?:me |us )?(?:who|which|when|where|what|that|how|if)|faster|quicker|easier|sooner|simpler|improv\w*|better|increas\w*|ensur\w*|make sure|at most|at least"
    r"|(?:nobody|no one|nothing|never|not|no|none|zero|don['’]t|doesn['’]t) (?:[\w'’]+ ){0,3}?(?:miss\w*|los\w+|lost|forg\w+|wait\w*|wast\w+|fail\w*|complain\w*|overlook\w*|too|double\S*|wrong|empty|late|twice|duplicat\w*|cost\w*|takes?|get lost|by hand|manual\w*|on paper))\b"
    r"|减少|不再|不用|不必|避免|降低|缩短|更|提高|提升|防止|杜绝|不会|没有?人会|无需|能够|可以|希望|想要|应该|应当|必须|尽量|少",
    re.IGNORECASE,
)
_HURTS = expression(  # by its verb, so that what is said of lost parcels or empty orders is none
    r"\b(?:miss(?:es)?|loses?|forgets?|keeps? (?:on )?(?:forgetting|losing|missing|asking|calling|phoning|ringing|complaining|arguing|coming|turning up)|wastes?|complains?|argues?|quarrels?|suffers?|struggles?|waits? (?:[\w-]+ ){0,2}(?:minutes|hours?|days|weeks)"
    r"|costs? (?:us|me|them|each|every|about|up to|over|too|hours|days|a lot|half)|takes? (?:us |me |them )?(?:too|hours|days|weeks|ages|forever|all day|half)"
    r"|(?:is|are|gets?|got|go|goes|stays?|comes?|keeps?) (?:\w+ ){0,2}?(?:lost|forgotten|missing|wrong|double[- ]?booked|out of date|outdated|scattered|overlooked|unanswered|late|stale|twice|too \w+)"
    r"|for nothing|in vain|by hand|manually|still [^.]{3,60} on paper|(?:nobody|no one) (?:\w+ )?(?:knows?|remembers?|notices?|is sure)|have no idea|never (?:match|matches|fits?|agrees?|adds? up))\b"
    r"|(?:每次|每回|经常|常常|总是?|老是?|动不动|频繁|有时候?|偶尔).{0,20}(?:超时|卡死|卡住|卡顿|崩溃|报错|死机|宕机|闪退|失败|中断|掉线)|浪费|经常(?:丢失?|忘记?|漏|错|被重复|找不到)|总是?(?:丢失?|忘记?|漏|错|找不到)|太[慢久长贵]|投诉|抱怨|耗时|费时|没人知道",
    re.IGNORECASE,
)


def tells_trouble(text: str) -> bool:
    """Whether a sentence says only what is bad today, and neither asks nor hopes for anything."""
    return _BAD.search(text) is not None and _BETTER.search(text) is None and (is_cjk(text) or " " in text)


def tells_of_better(text: str) -> bool:
    """Whether a sentence says what should be otherwise than today."""
    return _BETTER.search(text) is not None


def hurts_today(text: str) -> bool:
    """As `tells_trouble`, for a sentence that nobody was asked for: only what its verb says counts."""
    return _HURTS.search(text) is not None and tells_trouble(text)
