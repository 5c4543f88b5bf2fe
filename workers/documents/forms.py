"""What a text is when it asks for nothing to be built: a log, source code, a prompt for a chat model, minutes, release notes or an essay."""
# ruff: noqa: E501 - patterns are read whole

from __future__ import annotations

import re
from collections.abc import Sequence

from workers.documents.passage import ASKED, Passage

_FORMS = ("log", "code", "prompt", "minutes", "release", "essay")
_LOG = re.compile(
    r"^\s*(?:\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d|\[?\d\d:\d\d:\d\d|[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d|\d{1,3}(?:\.\d{1,3}){3} |"
    r"(?:\[?(?:INFO|WARN(?:ING)?|ERROR|DEBUG|TRACE|FATAL)\]?)\b|\s+at [\w$.]+\(|Traceback \(|  File \")"
)
_CODE = re.compile(
    r"^\s*(?:(?:def|class|import|from|return|async|await|public|private|protected|static|const|let|var|func|fn|package|#include|using|namespace|struct|impl|use|export|interface)\b.*[:;{(\w]$"
    r"|@\w+|[}\])]+[;,)]*$|.*[;{]\s*$|(?:if|for|while|elif|else|try|except|switch)\b.*[:{]\s*$|[\w.\[\]]+ ?[-+*/|]?= ?\S+.*|[\w.]+\(.*\)\s*$|//.*|/\*.*|\"\"\".*|<\/?[a-z][^>]*>\s*$)"
)
_PROMPT = re.compile(
    r"^\W*(?:you are\b(?! (?:going|asked|building|free|welcome))|act as\b|i want you to act\b|your (?:task|role|job) is to (?:answer|help|act|respond|translate|summari[sz]e|review|explain|write|reply|rate|classify)\b|pretend\b|ignore (?:all )?previous|system prompt"
    r"|你是一[个名位]|请?扮演|你现在是|du bist (?:ein|eine)\b|tu es (?:un|une)\b|eres (?:un|una)\b|あなたは)",
    re.IGNORECASE,
)
_BUILT = re.compile(
    r"\b(?:build|create|develop|implement|design|code|program|ship|make)\b(?: (?:me|us))? (?:an?|the|this|my|our)\b[^.]{0,60}\b(?:app|application|tool|system|site|website|service|platform|api|bot|library|game|dashboard|program|cli|plugin|server|software|product|feature|prototype|mvp|extension|page|portal|module|script|component)s?\b"
    r"|(?:开发|搭建|实现|做|写)(?:一[个款套])?.{0,20}(?:系统|应用|工具|网站|小程序|平台|服务|软件|程序|接口)",
    re.IGNORECASE,
)
_MINUTES = re.compile(
    r"^\W*(?:minutes of|meeting (?:notes|minutes)|minutes\b|attendees|present:|会议纪要|protokoll|compte rendu|acta de)",
    re.IGNORECASE | re.MULTILINE,
)
_TOLD = re.compile(
    r"^\W*you (?:must|should|are|write|answer|never|will|may|have to|always)\b|\. you (?:must|should|never)\b",
    re.IGNORECASE | re.MULTILINE,
)
_RECORDED = re.compile(
    r"\b(?:minutes of|meeting minutes|present|attendees|apologies)\b[^\n]{0,3}:?|^\W*minutes\b|会议纪要|protokoll der|compte rendu",
    re.IGNORECASE | re.MULTILINE,
)
_RELEASED = re.compile(
    r"\b(?:release notes|change ?log|what[’']s new in|released (?:on )?\d|new in (?:version )?\d|is the (?:\w+ ){0,3}release (?:of|in)\b)|发布说明|更新日志|版本说明|versionshinweise|notes de (?:version|publication)|notas de la versión",
    re.IGNORECASE,
)
_WISH = re.compile(
    r"\b(?:we|i|our \w+|users?|customers?) (?:want|need|would like|wish|'d like|must|should|have to)\b|\b(?:please|the (?:system|app|application|tool|service|site|product|page|server|client|api)) (?:must|shall|should|has to|needs to|will|can|could|may)\b"
    r"|\b(?:it )?would be (?:great|nice|good|lovely|helpful|useful|ideal|perfect) (?:if|to)\b|\b(?:i|we)['’]d (?:like|love)\b|\b(?:i|we) (?:hope|would love)\b|\bcould (?:you|we)\b"
    r"|\b(?:we|i) (?:are|am|['’](?:re|m)) (?:asking|looking) for\b|\bto have (?:\w+ ){1,4}(?:built|made|developed)\b|\b(?:first|second|next|later) version\b|\bshould be (?:running|live|ready|in use|online|finished)\b|\bit (?:has to|must|should|needs to|may) (?!have\b)|\bhas to work\b"
    r"|\bplease\b|\bnice to have\b|\bi (?:do not|don[’']t) need\b|\b(?:is|are)(?: not|n[’']t) needed\b"
    r"|\bas an? [\w ]{2,30}, i\b|^\W*(?:build|create|add|make|write|implement|develop|design|refactor|migrate|support|allow)\b|我们?(?:想|要|需要|希望)|需要|必须|请(?!问)|应该|wir (?:brauchen|wollen|möchten)|nous (?:voulons|avons besoin)|necesitamos|queremos|たい|こと[。．]",
    re.IGNORECASE | re.MULTILINE,
)
_LONG = 10  # lines or sentences from which a text without a wish is something else
_ROLES = ASKED | {"goal", "non_goal", "acceptance", "user", "constraint", "metric"}


def form_of(text: str, read: Sequence[Passage]) -> str:
    """`log`, `code`, `prompt`, `minutes`, `release` or `essay`; empty for a request, and wherever there is doubt."""
    roles = {passage.role for passage in read}
    asked = len(roles & _ROLES)
    lines = [line for line in text[:60_000].split("\n") if line.strip()]
    if asked < 2 and len(lines) >= 5:
        if sum(bool(_LOG.match(line)) for line in lines) > 0.5 * len(lines):
            return "log"
        if sum(bool(_CODE.match(line)) for line in lines) > 0.6 * len(lines):
            return "code"
    if (
        asked < (4 if _RECORDED.search(text[:300]) else 2)
        and _MINUTES.search(text[:300])
        and not _BUILT.search(text)
    ):
        return "minutes"
    prose = [passage for passage in read if passage.block.kind == "paragraph"]
    if asked < 3 and prose and _PROMPT.match(prose[0].block.text) and not _BUILT.search(text):
        return "prompt"
    if (
        len(_TOLD.findall(text)) > 2
        and not _BUILT.search(text)
        and not roles & {"user", "non_goal", "nonfunctional"}
    ):
        return "prompt"
    sentences = len(re.findall(r"[.!?](?:\s|$)|[。！？]", text))
    listed = sum(passage.block.kind in ("item", "row") for passage in read)
    wishes = len(_WISH.findall(text))
    if (
        asked < 3
        and "requirement" not in roles
        and _RELEASED.search(text[:800])
        and wishes * 10 <= len(lines)
        and not _BUILT.search(text)
    ):
        return "release"
    if (
        not asked
        and len(prose) >= 3
        and sentences >= _LONG
        and listed < 3
        and wishes * 10 <= sentences
        and not _BUILT.search(text)
        and "message" not in {passage.block.kind for passage in read}
    ):
        return "essay"
    return ""
