"""Text without Markdown's marks, or with its lines lost, as Markdown: bullets and headings are marked as such."""
# ruff: noqa: E501 - patterns are read whole

from __future__ import annotations

import re
from collections.abc import Iterator

from orchestrator.domain.patterns import expression
from orchestrator.domain.text import is_cjk
from workers.documents.chats import of_chat
from workers.documents.conversations import HEADING, of_message
from workers.documents.flat_lines import unflattened
from workers.documents.inline_labels import parted_labels
from workers.documents.lost_marks import with_marks
from workers.documents.reading_words import (
    clause_role,
    is_greeting,
    label_role,
    role_of,
    word_role,
)
from workers.documents.records import with_records
from workers.documents.right_edge import without_edges
from workers.documents.spec_lines import numbered_headings, with_columns, with_parts
from workers.documents.threads import parted

_FENCED = expression(
    r"^ {0,3}(`{3,}|~{3,})[^\n`]*\n(?:.*\n)*?[ ]{0,3}\1[`~]*[ \t]*$", re.MULTILINE
)  # is code
_HEADING_LINE = expression(r"^ {0,3}#{1,6}[ \t]+(.*?)[ \t#]*$", re.MULTILINE)
_OF_STORIES = frozenset({"requirement", "use_case"})
_KEPT, _PLACE = "\ue000{}\ue001", expression(r"\ue000(\d+)\ue001")  # stands for it meanwhile
_BULLET = expression(
    r"^(\s*)[•‣◦▪●○■□·–—→➢✓✔»][ \t\u3000]*(?=\S)|^(\s*)(?:[①-⑳]|~(?= )|[（(][a-z][)）](?= )|[a-h]\)(?= ))[ \t]*(?=\S)"
)
_BOX = expression(
    r"^(\s*)(?:[-*+•]\s+)?(?:(?P<ticked>✅|☑️?|\[[xX]\])|(?P<open>☐|⬜|◻|🔲|\[ \])|(?P<begun>⏳|🚧|🔄|\[[~-]\]))️?[ \t]*(?=\S)"
)
_NUMBER = expression(r"^(\s*)(?:[（(](\d{1,2})[)）]|(\d{1,2})[、．])\s*(?=\S)")
_IDENTIFIED = expression(r"^\**(?!V\d)[A-Z]{1,5}-?\d{1,3}(?:\.\d{1,3})*\**(?:[.:：)]\s*|\s{1,4})\S")
_LIST = expression(r"^\s*(?:[-*+]|\d{1,3}[.)])\s")
_CHAPTER = expression(
    r"^(?:第?[一二三四五六七八九十]{1,3}[、章节.]\s*|\d{1,2}(?:\.\d{1,2})*[.)]?\s+|[IVX]{1,4}\.\s+)(?=\S)"
)
_HAN_CHAPTER = expression(r"^[一二三四五六七八九十]{1,3}、[^，。；,;]{1,14}$")
_NUMBERED = expression(r"^(\d{1,2})[.)]?\s+(\S.{1,58}[^\s.!?;,。！？；，])$")
_DEEP = expression(
    r"^(?:[A-Z]\.)?\d{1,2}(?:\.\d{1,2})+[.)]?\s+(?=[A-ZÀ-Ý\u4e00-\u9fff\u3040-\u30ff*\[`\"“„(~])"
)  # 3.1
_BRACKETS = expression(
    r"^(?:【(.{1,40})】|\[([^\]]{1,40})\]|=+\s*([^=].{0,60}?)\s*=+|-{2,}\s*([^-].{0,60}?)\s*-{2,})[:：]?$"
)
_BOLD_LINE = expression(r"^(\*\*|__)(?!\s)(?:(?!\1).){2,100}\1[:：]?\s*$")
_BOLD_START = expression(
    r"^\*\*(?:[A-Z]{1,5}-?\d{1,3}(?:\.\d{1,3})*\b|[^*\n]{2,40}[:：.]\*\*|[^*\n]{2,40}\*\*[:：]|[^*\n]{2,60}\*\*\s*$)"
)
_TOPIC = expression(r"[A-ZÀ-Ý\u4e00-\u9fff\u3040-\u30ff](?:(?![.!?;,。！？；，:：|]).){1,78}$")
_ENDS = (".", "。", "!", "！", "?", "？", ";", "；", ",", "，")
_SAID = expression(r"\S+(?:\s\S+){2}|.*[\u4e00-\u9fff\u3040-\u30ff].{3}")  # a line of several words
_GOES_ON = expression(
    r"(?:[,;(\-–—，、；（：]|\b(?:and|or|but|with|the|an?|of|to|for|in|on|at|by|from|that|which|is|are|und|oder|et|ou|y|o))\s*$",
    re.IGNORECASE,
)
_STEP = expression(
    r"\s*[:：]\s|\s*\W{0,2}(?:given|when|then|and|but|or|gegeben|wenn|dann|und|étant|quand|alors|et|dado|cuando|entonces)\b",
    re.IGNORECASE,
)
_STOPS = expression(r"[.!?:。！？：][\"'”’)*_`]*\s*$")
_STOP_WITHIN = expression(r"[\w`)]{2}[.!?][\"'”’)*_`]* +[A-Z\"“`*_\[(]|[。！？](?=.)")
_STORY = expression(
    r"(?:\s*(?:as (?:an?|the)\b|i (?:want|need|would like)\b|so that\b|in order to\b).*\n)+", re.IGNORECASE
)
_TOLD_APART = expression(  # a story whose parts are lines or paragraphs of their own
    r"(?m)^(?P<who>[^\w\n]*as (?:an?|the)\b[^\n.]{2,60}?),?[ \t]*\n\s*(?=[*_]{0,2}i (?:want|need|would like|can|wish)\b)"
    r"|^(?=[^\n]*[\w)*_`\"”],?[ \t]*\n\s*[*_]{0,2}so that\b)(?P<wish>(?!#)[^\n]*\bi (?:want|need|would like|can|wish)\b[^\n]*?[\w)*_`\"”]),?[ \t]*\n\s*(?=[*_]{0,2}so that\b(?! is\b|['’]s))",
    re.IGNORECASE,
)
_NARROW = 36  # characters of Chinese that nobody wraps at
_ROOM = 6  # characters that a wrapped line leaves free at most, besides the next word


def as_markdown(text: str) -> tuple[str, str, str]:
    """(what stands before the text, the text as Markdown, what stands behind it).

    Before it: a commit message or the head of a mail. Behind it: the foot of a mail and what it answers.
    """
    text = _FENCED.sub(_unfenced, text)
    code = [found[0] for found in _FENCED.finditer(text)]
    places = iter(range(len(code)))
    text = _FENCED.sub(lambda _: _KEPT.format(next(places)), text)
    text = _TOLD_APART.sub(lambda found: f"{found['who'] or found['wish']}, ", text)
    talk = of_chat(text.split("\n"))
    before, body, after = talk or of_message(text)
    said, heads = parted(without_edges(with_marks(body.split("\n"))))
    after = "\n".join([*heads, after] if after else heads)
    lines = parted_labels([piece for line in said for piece in unflattened(line)])
    lines = list(with_parts(with_columns(with_records(lines))))
    body = "\n".join(lines)
    lines = _with_breaks(lines)
    marked = [_marked(line) for line in lines]
    if not talk and not HEADING.search(body):
        marked = list(_with_headings(marked, _topics(marked)))
    parts = (before, "\n".join(_with_lists(marked)), after)
    before, body, after = (
        _PLACE.sub(lambda found: code[int(found[1])] if int(found[1]) < len(code) else found[0], part)
        for part in parts
    )
    return before, body, after


def _unfenced(found: re.Match[str]) -> str:
    """User stories that stand as code where requirements do are stories; an example that a sentence leads to is none."""
    opening, _, body = found[0].partition("\n")
    said = body.rpartition("\n")[0] + "\n"
    before = found.string[: found.start()].rstrip()
    headings = _HEADING_LINE.findall(before)
    asked = not headings or role_of(headings[-1]) in _OF_STORIES
    told = opening.strip("`~ ") in ("", "gherkin", "text") and not before.endswith((":", "："))
    return said if asked and told and _STORY.fullmatch(said) else found[0]


def _with_breaks(lines: list[str]) -> list[str]:
    """Lines that their author ended on purpose, rather than at the edge of the page, as paragraphs of their own."""
    told = [bool(_SAID.match(line)) and not _LIST.match(line) and "|" not in line for line in lines]
    width = max((len(line) for line, said in zip(lines, told, strict=True) if said), default=0)
    pairs = [at for at in range(len(lines) - 1) if told[at] and told[at + 1]]
    ended = [at for at in pairs if len(lines[at]) + 1 + len(_first(lines[at + 1])) <= width - _ROOM]
    han = any(is_cjk(lines[at]) for at in pairs)
    if han and width < _NARROW:
        ended = pairs
    if len(pairs) < 2 or 2 * len(ended) < len(pairs) or not width > (14 if han else 30):
        return lines
    wrapped = _wrapped(lines, told)
    broken = {
        at
        for at in pairs
        if not _GOES_ON.search(lines[at])
        and not _STEP.match(lines[at + 1])
        and (at not in wrapped or (at in ended and _STOPS.search(lines[at])))
    }
    return [piece for at, line in enumerate(lines) for piece in ([line, ""] if at in broken else [line])]


def _wrapped(lines: list[str], told: list[bool]) -> set[int]:
    """The lines of paragraphs whose sentences run over the ends of lines: one ends within a line, or only with the last one."""
    found: set[int] = set()
    at = 0
    while at < len(lines):
        end = at
        while end < len(lines) and told[end]:
            end += 1
        group = lines[at:end]
        if len(group) > 1:
            within = any(_STOP_WITHIN.search(line) for line in group)
            last = _STOPS.search(group[-1]) and not any(_STOPS.search(line) for line in group[:-1])
            runs_on = group[0].lstrip()[:1].isupper() and all(
                line.lstrip()[:1].islower() for line in group[1:]
            )
            if within or (last and runs_on):
                found.update(range(at, end))
        at = max(end, at + 1)
    return found


def _first(line: str) -> str:
    """What of a line would have stood behind the one before, had there been room: its first word."""
    return line.strip()[:1] if is_cjk(line) else line.split()[0]


def _marked(line: str) -> str:
    """A line with Markdown's mark where it has another one."""
    box = _BOX.match(line)
    if box and not _LIST.match(line):
        ticked = "x" if box["ticked"] else " " if box["open"] else "~"
        return f"{box[1]}- [{ticked}] {line[box.end() :]}"
    found = _BULLET.match(line)
    if found:
        return f"{found[1] or found[2] or ''}- {line[found.end() :]}"
    found = _NUMBER.match(line)
    return f"{found[1]}{found[2] or found[3]}. {line[found.end() :]}" if found else line


def _topics(lines: list[str]) -> frozenset[int]:
    """The short lines that stand alone above paragraphs, where a text has several of them; a title may be the first line."""
    alone = [
        at
        for at, line in enumerate(lines)
        if _TOPIC.match(line.strip())
        and not label_role(line)
        and not is_greeting(line)
        and (at == 0 or not lines[at - 1].strip())
        and at + 2 < len(lines)
        and (not lines[at + 1].strip() or _LIST.match(lines[at + 1]))
    ]
    known = sum(bool(role_of(line)) for line in lines if 0 < len(line) <= 40)
    first = next((at for at, line in enumerate(lines) if line.strip()), -1)
    return frozenset(alone if len(alone) + known > 3 and known else [at for at in alone if at == first])


def _with_headings(lines: list[str], topics: frozenset[int]) -> Iterator[str]:
    """Marks what stands as a heading in a text that marks none."""
    chapters = _chapters(lines)
    numbered = numbered_headings(lines)
    following = [""] * len(lines)  # the next line that says something
    for at in range(len(lines) - 2, -1, -1):
        following[at] = lines[at + 1] if lines[at + 1].strip() else following[at + 1]
    for at, (line, after) in enumerate(zip(lines, following, strict=True)):
        if at in numbered:
            depth, title = numbered[at]
            yield from ["", f"{'#' * min(6, depth + 1)} {title}", ""]
            continue
        alone = at == 0 or not lines[at - 1].strip(" -=_*")
        title = chapters.get(at) or _heading_of(line, alone, after) or (line.strip() if at in topics else "")
        yield from ["", f"## {title}", ""] if title else [line]


def _chapters(lines: list[str]) -> dict[int, str]:
    """The titles of numbered chapters, by line: short lines that stand alone, with rising numbers, two of them known."""
    found: list[tuple[int, int, str]] = []
    for at, line in enumerate(lines):
        match = _NUMBERED.match(line)
        around = [lines[i].strip() for i in (at - 1, at + 1) if 0 <= i < len(lines)]
        if match and not any(around) and (not found or int(match[1]) in (found[-1][1] + 1, found[-1][1] + 2)):
            found.append((at, int(match[1]), match[2]))
    known = sum(bool(role_of(title)) for _, _, title in found)
    return {at: title for at, _, title in found} if len(found) > 2 and known > 1 else {}


def _heading_of(line: str, alone: bool, after: str) -> str:
    said = line.strip()
    if (
        not 1 < len(said) <= 60
        or said.endswith(_ENDS)
        or _BOLD_LINE.match(said)
        or not after.strip()
        or said.startswith(("#", "|", ">", "```"))
    ):
        return ""
    framed = _BRACKETS.match(said)
    if framed:
        title = next(group for group in framed.groups() if group)
        return title if role_of(title) or re.match("[【=-]", said) else ""
    chapter = _CHAPTER.match(said)
    bare = said[chapter.end() :] if chapter else said
    if _HAN_CHAPTER.match(said) and alone:
        return bare
    if chapter and _DEEP.match(said) is None and _DEEP.match(after.strip()) and len(bare.split()) <= 6:
        return bare.rstrip(" :：")
    if chapter and (_CHAPTER.match(after.strip()) or not alone):
        return ""
    if _LIST.match(line) and not chapter:
        return ""
    title = bare.rstrip(" :：")
    if bare != title and role_of(title) == "example":
        return ""  # it introduces one, and no more
    if re.search(r"[:：]\s+\S", title) and not chapter:
        return ""  # a label with its text
    if bare.endswith((":", "：")) and _LIST.match(after):
        return title if role_of(title) and alone and chapter else ""  # it introduces its list
    if role_of(title) and (alone or bare != title):
        return title
    if (
        alone
        and bare == title
        and _LIST.match(after)
        and len(title.split()) <= 8
        and (clause_role(title) or word_role(title))
    ):
        return title
    shouted = (
        re.sub(r"\s*\([^()]{2,24}\)$", "", title).isupper()
        and len(title) > 3
        and title.isascii()
        and any(c.isalpha() for c in title)
    )
    return title if shouted and alone and len(title.split()) <= 6 else ""


def _with_lists(lines: list[str]) -> Iterator[str]:
    """Makes items of lines that begin with an identifier, and parts lines that begin with a label of a section."""
    named = sum(bool(_IDENTIFIED.match(line.strip())) for line in lines)
    for at, line in enumerate(lines):
        beside = [lines[i] for i in (at - 1, at + 1) if 0 <= i < len(lines)]
        deep = _DEEP.match(line.strip())
        if deep and (len(line.split()) > 3 or any(_DEEP.match(other.strip()) for other in beside)):
            yield f"- {line.strip()[deep.end() :]}"
            continue
        defined = at + 1 < len(lines) and re.match(r"\s*: ", lines[at + 1])
        if (
            _IDENTIFIED.match(line.strip())
            and not defined
            and not _BOLD_LINE.match(line)
            and (named > 2 or any(_IDENTIFIED.match(other) for other in beside))
        ):
            yield f"{'  ' if line.startswith((' ', chr(9))) else ''}- {line.strip()}"
            continue
        label, colon, _ = line.partition("：") if "：" in line[:40] else line.partition(":")
        if (
            colon and at and len(label) <= 40 and label[:1].strip() and "|" not in label and label_role(label)
        ) or (at and _BOLD_START.match(line) and not _LIST.match(lines[at - 1]) and "|" not in line[:2]):
            yield ""
        yield line
        greets = line.rstrip().endswith((",", "，", "!", "！", "：")) and is_greeting(line)
        if _BOLD_LINE.match(line) or greets:
            yield ""
