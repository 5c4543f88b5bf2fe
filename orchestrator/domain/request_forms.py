"""What a text is that asks for nothing to be built, as far as its own lines say it: a log, source code, a prompt and others.

`workers/documents/forms.py` decides with the roles of its sections; here `start` says what it can see before anything runs.
"""
# ruff: noqa: E501 - patterns are read whole

from __future__ import annotations

import re
from collections.abc import Sequence

from orchestrator.domain.patterns import expression

NAMES = {
    "log": "a log",
    "code": "source code",
    "prompt": "a prompt for a chat model",
    "minutes": "minutes of a meeting",
    "release": "release notes",
    "essay": "an essay",
}
MAX_CHARS = 60_000  # of a text that are looked at
LONG = 10  # sentences from which a text without a wish is something else
LOG = expression(
    r"^\s*(?:\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d|\[?\d\d:\d\d:\d\d|[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d|\d{1,3}(?:\.\d{1,3}){3} |"
    r"(?:\[?(?:INFO|WARN(?:ING)?|ERROR|DEBUG|TRACE|FATAL)\]?)\b|\s+at [\w$.]+\(|Traceback \(|  File \")"
)
CODE = expression(
    r"^\s*(?:(?:def|class|import|from|return|async|await|public|private|protected|static|const|let|var|func|fn|package|#include|using|namespace|struct|impl|use|export|interface)\b.*[:;{(\w]$"
    r"|@\w+|[}\])]+[;,)]*$|.*[;{]\s*$|(?:if|for|while|elif|else|try|except|switch)\b.*[:{]\s*$|[\w.\[\]]+ ?[-+*/|]?= ?\S+.*|[\w.]+\(.*\)\s*$|//.*|/\*.*|\"\"\".*|<\/?[a-z][^>]*>\s*$)"
)
PROMPT = expression(
    r"^\W*(?:you are\b(?! (?:going|asked|building|free|welcome))|act as\b|i want you to act\b|your (?:task|role|job) is to (?:answer|help|act|respond|translate|summari[sz]e|review|explain|write|reply|rate|classify)\b|pretend\b|ignore (?:all )?previous|system prompt"
    r"|你是一[个名位]|请?扮演|你现在是|du bist (?:ein|eine)\b|tu es (?:un|une)\b|eres (?:un|una)\b|あなたは)",
    re.IGNORECASE,
)
BUILT = expression(
    r"\b(?:build|create|develop|implement|design|code|program|ship|make)\b(?: (?:me|us))? (?:an?|the|this|my|our)\b[^.]{0,60}\b(?:app|application|tool|system|site|website|service|platform|api|bot|library|game|dashboard|program|cli|plugin|server|software|product|feature|prototype|mvp|extension|page|portal|module|script|component)s?\b"
    r"|\b(?:build|create|develop|implement|program)(?: (?:me|us))? (?-i:[A-Z])[\w-]+[,:–—-]* (?:an?|the|our|my)\b"
    r"|\b(?:tasked with|(?:task|job|goal|mission) is)\b[^.]{0,20}\b(?:building|creating|developing|implementing|designing|writing)\b"
    r"|(?:开发|搭建|实现|做|写)(?:一[个款套])?.{0,20}(?:系统|应用|工具|网站|小程序|平台|服务|软件|程序|接口)",
    re.IGNORECASE,
)
MINUTES = expression(
    r"^\W*(?:minutes of|meeting (?:notes|minutes)|minutes\b|attendees|present:|会议纪要|protokoll|compte rendu|acta de)",
    re.IGNORECASE | re.MULTILINE,
)
RELEASED = expression(
    r"\b(?:release notes|change ?log|what[’']s new in|released (?:on )?\d|new in (?:version )?\d|is the (?:\w+ ){0,3}release (?:of|in)\b)|发布说明|更新日志|版本说明|versionshinweise|notes de (?:version|publication)|notas de la versión",
    re.IGNORECASE,
)
WISH = expression(
    r"\b(?:we|i|our \w+|users?|customers?) (?:want|need|would like|wish|'d like|must|should|have to)\b|\b(?:please|the (?:system|app|application|tool|service|site|product|page|server|client|api)) (?:must|shall|should|has to|needs to|will|can|could|may)\b"
    r"|\b(?:it )?would be (?:great|nice|good|lovely|helpful|useful|ideal|perfect) (?:if|to)\b|\b(?:i|we)['’]d (?:like|love)\b|\b(?:i|we) (?:hope|would love)\b|\bcould (?:you|we)\b"
    r"|\b(?:we|i) (?:are|am|['’](?:re|m)) (?:asking|looking) for\b|\bto have (?:\w+ ){1,4}(?:built|made|developed)\b|\b(?:first|second|next|later) version\b|\bshould be (?:running|live|ready|in use|online|finished)\b|\bit (?:has to|must|should|needs to|may) (?!have\b)|\bhas to work\b"
    r"|\b(?:has|have|needs?) to be (?:able to|in place)\b|\bthere (?:must|should|has to|needs to) be\b|^[^\w\n]*don[’']t (?:do|build|add|touch|bother)\b|(?<=[.!] )don[’']t (?:do|build|add|touch|bother)\b"
    r"|\bplease\b|\bnice to have\b|\bi (?:do not|don[’']t) need\b|\b(?:is|are)(?: not|n[’']t) needed\b"
    r"|\bas an? [\w ]{2,30}, i\b|^[^\w\n]*(?:build|create|add|make|write|implement|develop|design|refactor|migrate|support|allow)\b|我们?(?:想|要|需要|希望)|需要|必须|请(?!问)|应该|wir (?:brauchen|wollen|möchten)|nous (?:voulons|avons besoin)|necesitamos|queremos|たい|こと[。．]",
    re.IGNORECASE | re.MULTILINE,
)


def form_of_text(text: str) -> str:
    """A key of NAMES for a text that asks for nothing to be built; empty for a request, and wherever there is doubt."""
    said = text[:MAX_CHARS]
    lines = [line for line in said.split("\n") if line.strip()]
    headings = sum(line.startswith("## ") for line in lines)
    shown = form_of_lines(lines) if headings < 2 else ""
    if shown or BUILT.search(said):
        return shown
    if lines and PROMPT.match(lines[0]) and headings < 2:
        return "prompt"
    if WISH.search(said) or headings > 1:
        return ""
    if MINUTES.search(said[:300]):
        return "minutes"
    if RELEASED.search(said[:800]):
        return "release"
    listed = sum(re.match(r"\s*(?:[-*+•|]|\d{1,2}[.)])\s", line) is not None for line in lines)
    return "essay" if len(lines) > 2 and count_sentences(said) >= LONG and listed < 3 else ""


def form_of_lines(lines: Sequence[str]) -> str:
    """`log` or `code` where most lines of at least five are such; else empty."""
    if len(lines) < 5:
        return ""
    if sum(LOG.match(line) is not None for line in lines) > 0.5 * len(lines):
        return "log"
    return "code" if sum(CODE.match(line) is not None for line in lines) > 0.6 * len(lines) else ""


def count_sentences(text: str) -> int:
    """The sentences of a text, by their stops."""
    return len(re.findall(r"[.!?](?:\s|$)|[。！？]", text))
