"""What passages say of each other: attributes of the statement above, parts that are finished, lists that only sum up."""
# ruff: noqa: E501 - patterns are read whole

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

from orchestrator.domain.courtesies import is_below_farewell, is_signature
from orchestrator.domain.dataclass import replace
from orchestrator.domain.patterns import expression
from orchestrator.domain.text import is_cjk, keywords
from workers.documents.accepted import with_places
from workers.documents.lexicon import lexicon
from workers.documents.passage import ASKED, Passage
from workers.documents.reading_words import is_done, priority_of, role_of
from workers.documents.stated_data import stated_entities
from workers.documents.states import state_of
from workers.documents.table_rows import ISSUE_KINDS

_UNFINISHED = ASKED | {"", "plan"}
_DESCRIBING = ASKED | {"", "background", "user", "constraint", "dependency"}
_VALUES = 4  # words of an item that may be a value
_LONGEST_VALUE = {False: 30, True: 3}  # characters of one below a heading; in Chinese
_LISTS_VALUES = expression(  # a lead that values follow: `Filter by:`, `The status is one of:`
    r"(?:\b(?:by|(?:one|any|some) of|(?:choose|chosen|select(?:ed)?|pick(?:ed)?) from"
    r"|fields|values|options|status(?:es)?|states|types|formats|categories|colou?rs|palette|inputs|parameters|attributes|properties)"
    r"|字段|取值|选项|状态|类型)\s*[:：]$",
    re.IGNORECASE,
)
_HEADS_VALUES = expression(  # the same of a heading, below which parts of the thing may stand as well
    r".*(?:\b(?:fields|values|parameters|attributes|properties)|字段|取值)\s*[:：]$", re.IGNORECASE
)
_SHOWS = expression(  # a clause that only the list behind it completes: `The card shows:`, `Supported crops:`
    r"\b(?:shows?|showing|displays?|displaying|calculates?|computes?|reviews?|captures?|records?|contains?|containing|considers?|enters?|entering|specif(?:y|ies)|fills? (?:in|out)|such as|based on|consists? of"
    r"|(?:following|these) (?:information|details?|data|columns|figures|items))(?: (?:at least|only|also))?\s*[:：]$"
    r"|^(?:supported|allowed|accepted|available|possible|valid) (?:[\w-]+ )?(?!features|functions|functionality|actions|operations)[\w-]+s\s*[:：]$"
    r"|(?:展示|显示|录入|填写|筛选|选择)(?:以下(?:内容|信息)?)?\s*[:：]$",
    re.IGNORECASE,
)
_SHOWN, _SHOWN_HAN = 12, 8  # words, or characters of Chinese, of one thing that is shown
_NAMED_FIELD = expression(
    r"(?:(?:optional|required)\s+)?`[A-Za-z_][\w.]*`(?:\s*(?:[–—:(=-]|$|[,.;]).*)?", re.DOTALL
)
_BEHAVES = expression(
    r"\b(?:may|can|must|shall|should|will|are|is (?!stored)\w+ed)\b", re.IGNORECASE
)  # `drain`: runs may end
_ISSUE = expression(r"\s*[(:]?\s*#\d+\)?$")  # behind a statement, where it is discussed
_SHORT = 6  # words of an item that may only name what is told elsewhere


def completed(found: list[Passage]) -> tuple[Passage, ...]:
    """The passages of a text with what those beside them say of them."""
    found = _with_values(_signed(_naming(_without_summaries(_done_elsewhere(found)))))
    given = _attributes(found)
    headings = {passage.block.id for passage in found if passage.block.kind == "heading"}
    told = [_with_attributes(passage, given, headings) if given else passage for passage in found]
    return tuple(with_places(list(_without_data(list(_below_finished(told))))))


def _without_data(found: list[Passage]) -> Iterator[Passage]:
    """The passages, those that say what is kept as descriptions of data."""
    blocks = {block for entity in stated_entities(found) for block in entity.blocks}
    for passage in found:
        data = passage.block.id in blocks and passage.role in _DESCRIBING and not passage.id
        yield (
            replace(passage, role="data")
            if data and passage.block.kind not in ("heading", "code")
            else passage
        )


def _with_values(found: list[Passage]) -> list[Passage]:
    """The passages, lists of fields and values as data, and in the statement that leads them."""
    lists: dict[tuple[tuple[str, ...], str, str], list[int]] = {}
    for at, passage in enumerate(found):
        block = passage.block
        if block.kind == "item" and passage.role in _DESCRIBING and not passage.id and not passage.priority:
            lists.setdefault((block.section, block.lead, block.parent), []).append(at)
    above = {passage.block.id: at for at, passage in enumerate(found)}
    leads = {
        (passage.block.section, passage.block.text): at
        for at, passage in enumerate(found)
        if passage.block.kind == "paragraph"
    }
    for (section, lead, parent), rows in lists.items():
        texts = [found[at].text.strip() for at in rows]
        leading = above.get(parent, leads.get((section, lead), -1))
        said = found[leading].text.strip() if leading >= 0 else ""
        fields = all(_NAMED_FIELD.fullmatch(text) and not _BEHAVES.search(text) for text in texts)
        asked = all(found[at].role in ASKED for at in rows)
        named = said or (f"{section[-1]}:" if section and asked else "")
        single = all(len(text.split()) == 1 and len(text) <= _LONGEST_VALUE[is_cjk(text)] for text in texts)
        led = _LISTS_VALUES.search(named) and (said or single or _HEADS_VALUES.match(named))
        values = (led and all(_is_value(text) for text in texts)) or (
            _SHOWS.search(said) and _are_shown(texts)
        )
        if len(rows) < 2 or not (fields or values):
            continue
        for at in rows:
            found[at] = replace(found[at], role="data")
        if said.endswith((":", "：")) and found[leading].role in ASKED | {""}:
            names = [text.partition("`")[2].partition("`")[0] if fields else text for text in texts]
            listed = ", ".join(name.rstrip(".,;，；。") for name in names)
            found[leading] = replace(found[leading], text=f"{said} {listed}", opens=False)
    return found


def _naming(found: list[Passage]) -> list[Passage]:
    """The passages, items that only name what the paragraph below each of them tells: `- Speed`, then a paragraph about it."""
    items = Counter(passage.block.section for passage in found if passage.block.kind == "item")
    named = [
        at
        for at, (one, two) in enumerate(pairwise(found))
        if one.block.kind == "item"
        and two.block.kind == "paragraph"
        and not two.block.parent
        and one.block.section == two.block.section
        and one.role in _DESCRIBING
        and len(one.text.split()) < _VALUES
        and not one.text.rstrip().endswith((".", "!", "?", "。"))
    ]
    naming = Counter(found[at].block.section for at in named)
    for at in named:
        section = found[at].block.section
        if naming[section] > 1 and naming[section] == items[section]:
            found[at] = replace(found[at], opens=True)
    return found


def _is_value(text: str) -> bool:
    words = text.split()
    return (
        len(words) <= _VALUES
        and not text.rstrip(".").endswith((":", "?"))
        and words[0].lower() not in lexicon("en").verbs
    )


def _are_shown(texts: Sequence[str]) -> bool:
    """Whether a list only names things, most of them in a few words."""
    named = [
        len(text) <= _SHOWN_HAN if is_cjk(text) else len(text.split()) <= _SHOWN and not _BEHAVES.search(text)
        for text in texts
    ]
    return (
        all(named)
        and not any(text.endswith((".", ":", "?", "：")) for text in texts)
        and 2 * sum(_is_value(text) for text in texts) > len(texts)
    )


def _below_finished(found: list[Passage]) -> Iterator[Passage]:
    """The passages, those in a part of the text whose first line says that it is finished (`Status: complete`) as done."""
    level, last = 0, None
    for at, passage in enumerate(found):
        block = passage.block
        if block.kind == "heading":
            level = level if level and block.level > level else 0
            last = passage
        elif passage.role == "attribute" and at and found[at - 1] is last and last.block.level > 1:
            level = last.block.level if is_done(passage.values.get("status", "")) else level
        yield replace(passage, role="done") if level and passage.role in _UNFINISHED else passage


def _signed(found: list[Passage]) -> list[Passage]:
    """A name that stands alone at the end of what is said, below thanks or a farewell, belongs to them."""
    if not found:
        return found
    at = max((at for at, passage in enumerate(found) if passage.block.kind != "message"), default=0)
    last = found[at]
    before = found[at - 1] if at else last
    signs = is_signature(last.text) or is_below_farewell(last.text, before.text)
    if not last.role and last.block.kind == "paragraph" and before.role == "greeting" and signs:
        found[at] = replace(last, role="greeting")
    return found


def _without_summaries(found: list[Passage]) -> list[Passage]:
    """Lists of features that only name what later headings tell are marked as such."""
    later: list[frozenset[str]] = []
    named: dict[tuple[tuple[str, ...], str], list[tuple[int, bool]]] = {}
    for at in range(len(found) - 1, -1, -1):
        passage, words = found[at], keywords(found[at].text)
        if passage.block.kind == "heading" and len(passage.block.section) > 1:
            later.append(keywords(passage.block.text))
        elif passage.block.kind == "item" and passage.role in ASKED and len(passage.text.split()) <= _SHORT:
            told = any(2 * len(words & heading) >= len(words) > 0 for heading in later)
            named.setdefault((passage.block.section, passage.block.lead), []).append(
                (at, told and not passage.id)
            )
    for at in _repeated(found):
        found[at] = replace(found[at], role="summary")
    for rows in named.values():
        if len(rows) > 1 and 2 * sum(told for _, told in rows) > len(rows):
            for at, _ in rows:
                found[at] = replace(found[at], role="summary")
    return found


def _done_elsewhere(found: list[Passage]) -> list[Passage]:
    """The passages, items that another part of the text ticks off in the same words as done."""
    done = {keywords(_ISSUE.sub("", passage.text)) for passage in found if passage.role == "done"} - {
        frozenset()
    }
    return [
        replace(passage, role="done")
        if done
        and passage.block.kind == "item"
        and passage.block.done is None
        and passage.role in _UNFINISHED
        and not passage.id
        and keywords(_ISSUE.sub("", passage.text)) in done
        else passage
        for passage in found
    ]


def _repeated(found: Sequence[Passage]) -> Iterator[int]:
    """Short items of a list that a numbered statement of another part says again, and more fully."""
    full: dict[
        str, list[tuple[tuple[str, ...], frozenset[str]]]
    ] = {}  # word -> (section, words) of statements
    for passage in found:
        if passage.id and passage.role in ASKED and passage.block.kind != "heading":
            words = keywords(passage.text)
            for word in words:
                full.setdefault(word, []).append((passage.block.section, words))
    for at, passage in enumerate(found if full else ()):
        block, words = passage.block, keywords(passage.text)
        if (
            block.kind == "item"
            and passage.role in ASKED | {""}
            and not (passage.id or passage.priority or block.done is not None)
            and len(words) > 2
        ):
            rarest = min((full.get(word, []) for word in words), key=len)
            if any(words < said for section, said in rarest if section != block.section):
                yield at


def _attributes(found: Sequence[Passage]) -> dict[str, dict[str, str]]:
    """What lines such as `Priority: high` or `Target: 5 %` say, by the block of the statement they describe."""
    given: dict[str, dict[str, str]] = {}
    last: Passage | None = None
    for passage in found:
        if passage.role != "attribute":
            last = passage if passage.block.kind != "heading" or passage.role else None
            continue
        near = last.block.id if last and last.block.section[:1] == passage.block.section[:1] else ""
        if passage.parent or near:
            given.setdefault(passage.parent or near, {}).update(passage.values)
    return given


def _with_attributes(passage: Passage, given: Mapping[str, dict[str, str]], headings: set[str]) -> Passage:
    of_heading = given.get(passage.parent, {}) if passage.parent in headings else {}
    values = {**of_heading, **given.get(passage.block.id, {}), **passage.values}
    if values == passage.values or passage.role == "attribute":
        return passage
    told = values.get("description", "") if passage.block.kind == "heading" and passage.role in ASKED else ""
    kind = role_of(values.get("kind", ""))
    role = passage.role
    if role in ASKED and state_of(values.get("status", "")) == "non_goal":
        role = "non_goal"
    elif is_done(values.get("status", "")) and role in ASKED | {"goal"}:
        role = "done"
    elif role in ASKED and kind in ISSUE_KINDS:
        role = kind
    return replace(
        passage,
        values=values,
        text=told or passage.text,
        title=passage.text if told else passage.title,
        priority=priority_of(values.get("priority", "")) or passage.priority,
        release=values.get("release") or passage.release,
        role=role,
    )
