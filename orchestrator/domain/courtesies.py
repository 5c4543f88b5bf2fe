"""Sentences that pass between the writer and the reader of a request and say nothing of what is asked for.

Thanks, excuses, good wishes, what announces the request, and offers to answer questions. A sentence that asks for something besides is none.
"""
# ruff: noqa: E501 - patterns are read whole

from __future__ import annotations

import re

from orchestrator.domain.patterns import expression

LONGEST = 200  # characters of one
_OFFICE = 14  # words of a signature
_END = expression(r"(?<=[.!?。！？…])\s+|(?<=[。！？])")
_LEAD = r"(?:(?:and|but|so|oh|well|again|anyway|also|first(?: of all)?|once again|p\.?s\.?)[,:.]? )*"
_I = r"(?:(?:i|we)(?: do| really| just)*|i['’]m|we['’]re|i am|we are)"
_SAID = expression(
    rf"^{_LEAD}(?:"
    rf"(?:{_I} )?(?:(?:so|very|really|truly|terribly|deeply) )*(?:sorry|apologi[sz]e\b|apologies\b)"
    r"|(?:please )?(?:give|send|get|let) (?:me|us) (?:have )?(?:an?|your|the) (?:rough |first |quick |short )*(?:estimate|quote|quotation|offer|answer|reply|feedback)\b[^,;:]{0,40}$"
    r"|(?:my|our|please accept (?:my|our)) (?:\w+ )?(?:apologies|excuses)\b|(?:please )?(?:excuse|pardon|forgive) (?:me|us|my|our|the|this)\b"
    r"|(?:many|a thousand|a million|big|special|warm|best|kind|again,?)? ?thanks\b(?! to\b)|thank you\b(?![- ](?:page|screen|note|mail|e-?mail|letter|message|card|text)s?\b)|thx\b|cheers\b"
    rf"|{_I}(?: very much| greatly| truly)? (?:appreciate|(?:very )?grateful|thankful|thank you)\b|(?:much|greatly) appreciated|(?:any|your|all) (?:help|advice|support|thoughts?) (?:is|are|would be)\b.{{0,20}}\bappreciated"
    rf"|(?:{_I} )?(?:hope|trust|hoping)(?: that)? (?:you|your|all|everyone|everybody|everything|this (?:mail|e-?mail|message|letter|note|finds|helps|makes|is (?:clear|enough|ok|okay|fine|not too long|the right))|that(?: this)? (?:is (?:clear|enough|ok|okay|fine)|helps|makes sense))\b.{{0,80}}"
    rf"|(?:{_I} )?look(?:ing)? forward\b|(?:please |do |please do )*(?:let (?:me|us) know|feel free to (?:ask|call|write|contact|ring|reach)|don['’]t hesitate|(?:do )?not hesitate|get (?:back to|in touch)|reach out)\b"
    rf"|(?:{_I} )?(?:just )?following up (?:on|from|about|with)\b[^,;:?]{{0,60}}\b(?:calls?|meetings?|e-?mails?|mails?|chats?|conversations?|discussions?|talks?|messages?|tickets?|threads?|notes?|workshops?|visits?|demo)\b[^,;:?]{{0,80}}[.!…]?$|(?:as|like) (?:we )?(?:discussed|agreed|mentioned|promised|talked about)\b[^,;:?]{{0,80}}[.!…]?$"
    rf"|{_I} (?:on (?:holiday|vacation|leave|a trip)|out of (?:the )?office|travelling|traveling|(?:away|off|back|out) (?:again )?(?:from (?!the\b|my\b|our\b|work\b|home\b)|until|till|next|on|tomorrow|as of|in (?:the|an?|\d)))\b(?!.{{0,160}}\b(?:when|while|cannot|can['’]t|app|system)\b)"
    r"|(?-i:[A-Z])[\w-]+ (?:can|will) (?:answer|take) (?:any |all |your )?questions\b"
    r"|(?:please )?(?:ask|ping|call|contact|talk to|speak to) (?-i:[A-Z])[\w-]+ (?:if|when|with|about|for) (?:you|anything|something|any|questions)\b"
    r"|(?:call|ring|write to|phone|e-?mail|contact|ask) (?:me|us) (?:any ?time|if|when|with)\b"
    rf"|{_I} (?:happy|glad|available|free|around) (?:to (?:answer|talk|explain|discuss|meet|help|chat)|for (?:questions|a (?:call|chat)))\b"
    r"|(?:have|enjoy) (?:an?|the|your) (?:\w+ )?(?:day|week|weekend|evening|holidays?|summer|time|trip|vacation|christmas|easter)\b"
    r"|(?:it was |it['’]s )?(?:nice|good|great|lovely|a pleasure) (?:to (?:meet|see|hear|talk|speak)|meeting|seeing|hearing|talking)\b|long time no see|how are you\b"
    r"|(?:all the best|best wishes|take care|talk soon|speak soon|see you|until then|yours)\b"
    r")",
    re.IGNORECASE,
)
_HAN = expression(
    r"^(?:另外|再次|最后|先|首先|真的?|实在|非常|很|十分|万分|多有|给[您你]|在此|这里|我们?|先说声)*(?:抱歉|不好意思|对不起|打扰|见谅|请?(?:原谅|见谅|谅解|包涵|多包涵)|谢谢|多谢|感谢|致谢|辛苦|麻烦[您你]了|拜托了|期待[您你]|期待回复|盼复|此致|敬礼|顺祝|敬祝|祝(?:[您你们大家]|好|工作|身体|生活|一切|顺)|好久不见|久仰|希望(?:[您你]|一切|大家).{0,6}(?:好|顺利|安好|健康|没有打扰)|[您你](?:最近)?(?:还?好吗|身体好)|有(?:任何|什么)?(?:问题|疑问|不清楚).{0,8}(?:联系|告诉|问|打电话)我|如有(?:任何)?(?:问题|疑问))"
)
_ORDER = expression(  # that what stands beside it is to be done, and no more: `Please implement this.`
    r"^(?:(?:please|kindly|so|now|just|can you|could you) )*(?:implement|build|do|make|add|create|develop|realise|realize|support|fix) (?:it|this|that|these|those|all (?:of )?(?:it|this|that)|the above|as (?:above|described))(?: (?:now|please|soon|asap|for (?:me|us)))*\W*$|^请?(?:实现|完成|做)(?:以上|上述|这个|这些)?(?:内容|功能)?[。！!]?$",
    re.IGNORECASE,
)
_ANNOUNCES = expression(  # that what is asked for follows: `As promised, here's what I have in mind`
    r"^(?:(?:as (?:promised|discussed|agreed)|following (?:up on |from )?(?:our|the|my|your) [\w -]{3,30}|ok(?:ay)?|so|well|anyway)[,:]? )*(?:here(?:['’]s| is| are| come)|(?:below|attached|enclosed)(?: you (?:will )?find| is| are)?|the following (?:is|are)|these are|this is)"
    r" (?:(?:roughly|basically|more or less) )?(?:what (?:i|we) (?:have|had|need|want|are after|picture|imagine|wish for|would like|thought of|came up with|talked about|discussed|agreed)(?: in mind| so far| (?:on|about)?)*"
    r"|(?:(?:my|our|the|an?|some|few|first|rough|quick|initial|short|little|full) )+(?:thoughts?|notes?|ideas?|(?:wish ?)?list|summary|overview|description|sketch|brief|requirements|points)(?: (?:so far|on (?:it|this)|about (?:it|this)|for (?:it|this|you)|for the (?:\w+ )?(?:app|site|website|tool|system|project)))?)"
    r"(?:[,;] (?:sorry|it|i know|i hope|please (?:excuse|forgive))\b[^:]{0,100})?\W*$",
    re.IGNORECASE,
)
_ASKS = expression(  # a wish, which no courtesy holds
    r"\b(?:must|shall|should|need(?!(?:s|ed)? (?:anything|more|to know|further|any))\w*|ha(?:s|ve) to (?!trouble|bother|write|ask)|(?:i|we|they|users?|members?|\w+s) wants?|require\w*|(?:please|and|but) (?:build|make|add|create|write|implement))\b"
    r"|\b(?:we|i) (?:would like|['’]d like) (?:an?|the|to (?:have|see|build|get))\b|必须|应该|应当|需要(?!.{0,6}(?:联系|告诉|找我))|想(?:要|做|请)|要求|能不能|帮我们?(?:做|写|开发)",
    re.IGNORECASE,
)
_SIGNED = expression(
    r"^[-–—]?\s*(?:[A-ZÀ-Ý][\w'’.-]*(?: (?:[A-ZÀ-Ý][\w'’.-]*|and|&))*|[一-鿿]{2,4})[.,]?$"
)  # a name below


def is_courtesy(sentence: str) -> bool:
    """Whether a sentence only thanks, excuses, wishes well, offers to talk, or points to what stands beside it."""
    said = sentence.strip(" \t\"'“”*_")
    if len(said) <= LONGEST and (_ORDER.match(said) or _ANNOUNCES.match(said)):
        return True
    if not said or len(said) > LONGEST or _ASKS.search(said):
        return False
    return (_SAID.match(said) or _HAN.match(said)) is not None


def pieces(text: str) -> list[str]:
    """The sentences of a text, by their stops."""
    return [piece.strip() for piece in _END.split(text) if piece.strip()]


def is_signature(text: str) -> bool:
    """Whether a text is the name of who signs, and no more: `Petra`, `Ann and Bo`."""
    return _SIGNED.match(text.strip()) is not None


_FAREWELL = expression(
    r"(?:(?:best|kind|kindest|warm|many) )?(?:regards|wishes|greetings)|cheers|thanks|thank you|many thanks|sincerely|yours|viele grüße|beste grüße|mit freundlichen|cordialement|saludos|gracias|merci\b",
    re.IGNORECASE,
)
_NAMED = expression(r"[A-ZÀ-Ý][\w'’.-]+(?: [A-ZÀ-Ý][\w'’.-]+){1,3}\b(?!.*[.!?:;]$)")


def is_below_farewell(text: str, before: str) -> bool:
    """Whether a text is who signs, with their office and place, below a farewell: `Jana Kowalski, Coordinator, Food Bank`."""
    return (
        _FAREWELL.match(before.strip()) is not None
        and len(text.split()) <= _OFFICE
        and _NAMED.match(text.strip()) is not None
    )


def is_all_courtesy(text: str) -> bool:
    """Whether a text has nothing but courtesies, and the name of who signs."""
    said = pieces(text)
    return bool(said) and all(
        is_courtesy(piece) or (at > 0 and is_signature(piece)) for at, piece in enumerate(said)
    )


def without_courtesies(line: str) -> str:
    """A line without the courtesies that it begins with."""
    said = pieces(line)
    first = next((at for at, piece in enumerate(said) if not is_courtesy(piece)), len(said))
    return line if not first else " ".join(said[first:])
