"""Questions that are wishes: `Could you add a filter?`, `the search is slow, can you make it faster?`, `能不能把报表导出成 PDF？`.

Who makes the thing is asked for something. What somebody wants to know (`Can you tell me ...?`, `Can we use the old
database?`, `Should guests see it?`) stays a question.
"""
# ruff: noqa: E501 - patterns are read whole

from __future__ import annotations

import re

from orchestrator.domain.dataclass import dataclass
from orchestrator.domain.patterns import expression

_HELLO = r"(?:(?:hi|hey|hello|hallo|hola|bonjour|salut|good (?:morning|afternoon|evening)|dear)(?: (?!can\b|could\b|would\b|is\b|any\b)\w+){0,2}[,!.:]? )?"
_LEAD = rf"^{_HELLO}(?:(?:so|and|also|oh|ok|okay|please|btw|by the way|p\.?s\.?|maybe|perhaps|then|just|one (?:more )?(?:thing|question)|another thing|(?:a )?quick (?:one|question|thing|request|favou?r)(?: (?:from|for) (?:the )?\w+)?|if (?:possible|you can))[,:;.]? )*"
_KNOWS = r"(?:tell|explain|clarify|confirm|describe|say|remind|elaborate|advise|reproduce|try|share|point (?:me|us)|let (?:me|us) know|help (?:me|us) (?:understand|with)|give (?:me|us)|send (?:me|us)|see|imagine|guess|think|believe|rather|prefer|like|agree|recommend|comment|provide (?:me|us|more|some|your|the (?:logs?|steps|details))|answer|estimate|quote|be)\b"
_SOFT = r"(?:please |kindly |maybe |perhaps |possibly |also |at least |just |then |then please )*"
_DO = r"(?:have|get|see|add|make|create|write|develop|support|allow|provide|offer|build|show|implement|include|let|export|import|move|change|rename|remove|stop|switch|put|turn|extend|increase|reduce|fix|improve|speed|send|print|sort|filter|hide|limit|merge|split|introduce|replace|set up|enable|disable|prevent|display|download|give|automate|simplify|raise|lower|shorten)\b"
_FRAME = (
    rf"(?:(?:could|can|would) (?:you|(?:you )?(?:guys|all|folks)|someone|somebody|anyone|anybody) {_SOFT}(?:be so kind (?:as )?to |be able to |look at (?=\w+ing ))?(?!{_KNOWS})(?!mind\b)"
    rf"|(?:(?:could|can|would|might) we|could i) {_SOFT}(?={_DO})"
    r"|(?:could|can|would|might) there be (?=(?:an?|some) )"
    r"|would you mind (?!telling|explaining|if\b)(?=\w+ing\b)"
    r"|(?:(?:would|could|might) it|(?:is|would) (?:it|this)) (?:also |perhaps |at all )?(?:be )?(?:possible|feasible) (?:for (?:you|us) )?to "
    rf"|(?:is there )?any (?:chance|way|possibility) (?:of |to |(?:that )?(?:we|you) (?:could|can|might) {_SOFT})"
    r"|is there (?:a|some) (?:chance|way|possibility) (?:of |to |(?:that )?(?:we|you) (?:could|can) )"
    rf"|(?:do|would) you think (?:that )?(?:we|you) (?:could|can) {_SOFT}"
    r"|why not (?=add\b|make\b|show\b|let\b|offer\b)|(?:how|what) about (?=adding\b|having\b|making\b|showing\b|letting\b)"
    r"|(?:könntet|könnt|könntest|kannst|könnten|können|würdet|würdest|würden) (?:ihr|sie|du|jemand) (?:bitte |vielleicht |uns |mal |auch |noch )*(?!.*\b(?:sagen|erklären|bestätigen|mitteilen|erläutern)\b)"
    r"|könnten wir (?:bitte |vielleicht |auch |noch )*(?=.*\b(?:haben|bekommen|kriegen|einbauen|hinzufügen|ergänzen)\W*$)"
    r"|(?:wäre es|ist es|wär's) (?:auch |vielleicht )?möglich,? (?:dass )?|g[äi]be? es (?:die|eine) möglichkeit,? "
    r"|(?:pourriez|pouvez)[- ]vous |(?:pourrais|peux)[- ]tu |(?:serait|est)-(?:il|ce) possible (?:de |d['’]|que )|(?:pourrait|peut)-on (?=avoir|ajouter|afficher|exporter)"
    r"|¿? ?(?:podrías?|podrían|podéis|podríais|puedes|pueden) (?!decir|explicar|confirmar)|¿? ?(?:sería|es) posible )"
)
_TOLD = r"(?!(?:talk|speak|meet|discuss|chat|catch up)\b|(?:have|get|set up|arrange) (?:an? |the )?(?:\w+ )?(?:call|chat|meeting|talk|word|update|answer|refund)\b|m['’]|me |nous (?:dire|expliquer)|dire |expliquer |confirmer |préciser )"
_ASKS = expression(rf"{_LEAD}{_FRAME}{_TOLD}(?P<wish>\w.+)$", re.IGNORECASE | re.DOTALL)
_BEHIND = expression(  # a reason, then what is asked for
    rf"^(?P<why>(?!(?:if|when|while|because|since|as|for)\b)[^?]{{4,200}}?)(?:[,;:–]| -|,? (?:so|and|but))\s+(?:so |and |but |please |maybe )*{_FRAME}{_TOLD}(?P<wish>\w.+[?？])$",
    re.IGNORECASE | re.DOTALL,
)
_THING = expression(  # of the thing, not of its maker: it is quoted whole
    rf"{_LEAD}(?P<wish>could (?:the|our|each|every|all) (?!(?:reason|cause|problem|error|issue|bug|fault)\b)[\w-]+(?: [\w-]+){{0,3}}? (?:please |also |always |then )*(?:show|support|allow|have|get|be (?!that\b|because\b)|include|send|remember|export|display|print|use|list|sort|keep|open|offer|contain|accept|return|say|tell)\b[^?]*\?)$",
    re.IGNORECASE,
)
_CLEFT = expression(  # `What I'd like is a page where ...`
    rf"{_LEAD}(?:what (?:i|we)(?:['’]d| would| really| actually| mostly)* (?:like|love|want|need|am after|['’]re after|are after|have in mind|picture|imagine|envision|am looking for|are looking for)(?: most| to (?:have|see))?|all (?:i|we)(?: really)? (?:want|need)|what would (?:really )?help(?: (?:me|us))?(?: most)?) (?:is|would be)(?: that)? (?P<wish>(?!to (?:know|understand|hear)\b|not\b|no\b)\w.{{8,}}?)[.!]?$",
    re.IGNORECASE | re.DOTALL,
)
_SOMETHING = expression(r"(?:some|any)thing (?:where|in which) (?=\w)", re.IGNORECASE)
_HAN = expression(
    r"^(?:另外|还有|请问|你好|您好|麻烦|咱们|我们|你们|你|您|[，,])*"
    r"(?:(?:能不能|能否|可否|可不可以|是否可以|是否能够?)|(?:可以|能)(?=.*[吗么][?？]?$))(?:请|麻烦|帮我们?|帮忙|也|再|给我们)*"
    r"(?P<wish>(?:加|做|支持|增加|提供|显示|允许|导出|导入|把|将|给|让|改|换|去掉|删|优化|实现|开放|同步|设置|添加|新增|接入|修|调).+?)[吗么]?[?？。]?$"
)
_PRONOUN = expression(r"\b(?:it|this|that|them|these|those)\b", re.IGNORECASE)
_HAVE = expression(r"^have (?=(?:an?|the|some|our|more) (?!(?:\w+ )?(?:look|go|think)\b))", re.IGNORECASE)
_END = " \t?？!."


@dataclass(frozen=True, slots=True)
class PoliteWish:
    text: str  # what is asked for, in its author's words
    why: str = ""  # what its author says before it
    firm: bool = False  # its polite `could` stands in the text, and makes nothing optional


def polite_wish(text: str) -> PoliteWish | None:
    """What a polite question asks for; None for a real question and for any other sentence."""
    said = text.strip()
    found = _ASKS.match(said) or _HAN.match(said)
    if found:
        return PoliteWish(_HAVE.sub("", found["wish"].rstrip(_END)))
    cleft = _CLEFT.match(said)
    if cleft:
        return PoliteWish(_SOMETHING.sub("", cleft["wish"]))
    thing = _THING.match(said)
    if thing:
        return PoliteWish(thing["wish"].rstrip(_END), firm=True)
    behind = _BEHIND.match(said)
    if behind is None:
        return None
    wish = behind["wish"].rstrip(_END)
    if _PRONOUN.search(wish):  # `the search is slow, can you make it faster?`: what `it` is stands before it
        return PoliteWish(said.rstrip(_END), behind["why"].strip(), firm=True)
    return PoliteWish(wish, behind["why"].strip())
