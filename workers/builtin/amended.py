"""What a person changes of items that are stated already: a number (`the scan takes at most 3 s`, `NFR-P-001: at most 3 s`),
a priority (`REQ-003 is a Could`), whether it is asked for at all (`Remove REQ-002`)."""

# ruff: noqa: E501 - patterns are read whole

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import partial

from orchestrator.domain.patterns import expression
from orchestrator.domain.text import keywords
from workers.builtin.clauses import first_modal
from workers.builtin.phrases import TRIM, carries, upper_first
from workers.documents.content import Moscow, Requirement
from workers.documents.lexicon import lexicon_of
from workers.documents.lint.meaning import exchanged, number
from workers.documents.quantities import quantities
from workers.documents.reading_words import priority_of

OWN_ID = expression(r"\b(?:REQ|NFR(?:-[A-Z]{1,2})?|GOAL|EPIC|STORY|ADR|COMP|OQ|Q)-?\d+\b")
_NAMED = expression(r"\b(REQ|NFR-?(?:SC|P|S|U))[- ]?0*(\d{1,4})\b", re.IGNORECASE)
_ITEM = expression(r"\b(?:REQ|NFR-[A-Z]{1,2})-\d+\b")
_ITEMS = r"(?P<items>(?:REQ|NFR-[A-Z]{1,2})-\d+(?:(?:, | and |, and |\s?(?:、|和|与|及)\s?)(?:REQ|NFR-[A-Z]{1,2})-\d+)*)"
_RANK = (
    r"(?P<rank>(?:must|should|could|won['’]?t)(?:[- ]haves?)?|essential|mandatory|required|critical|important|optional|nice[- ]to[- ]have|(?:high|medium|low)(?:est)?(?= priority)|p[0-3]"
    r"|必须|必需|必做|应该|重要|可选|可有可无|可做可不做|低|中|高|不做)(?:的|级|优先级| priority| (?:requirement|one)s?)?"
)
_LATER = r"(?P<later>(?:can|could|may|might|should)(?: also| well| easily)? (?:wait|come later|be done later|follow(?: later)?|be postponed)\b(?:(?!REQ-|NFR-|\b(?:must|shall|should|needs?)\b)[^.;]){0,60}|(?:is|are) (?:for later|not urgent)|可以?(?:先)?(?:等|以后|晚点|后面|推迟|缓|放到|留到|明年|下一?[期版年])[^。；]{0,14}|不急)"
_MAKE = r"(?:make|mark|set|lower|raise|change|turn|downgrade|demote|upgrade|promote|move|rank|treat)"
_AS = r"(?:as |to |into |down to |up to |to be )?(?:an? |the )?"
_RANKED = tuple(
    expression(
        rf"^(?:please |and |but |请|把|将)*{pattern}(?: please| now| instead| from now on)*[.!;,。！；，]?$",
        re.IGNORECASE,
    )
    for pattern in (
        rf"(?:remove|drop|delete|omit|cancel|leave out|we (?:no longer|do not|don['’]?t) (?:need|want)|请?(?:删除|去掉|移除|取消))\s?{_ITEMS}(?: any ?more)?(?: please)?",
        rf"{_ITEMS}\s?[:：]?\s?(?:please )?(?:remove|drop|delete|omit|cancel|leave out|删除|去掉|移除|取消)(?: it| this| them| that)?",
        rf"{_ITEMS}[:,]? (?:is|are)(?: no longer|n['’]t| not) (?:needed|wanted|required|asked for|in scope)(?: any ?more)?",
        rf"{_ITEMS} (?:should|must|can|may|is|are)(?: to)?(?: be)? (?:removed|dropped|deleted|omitted|left out)",
        rf"{_MAKE} {_ITEMS}(?:['’]s? priority)? {_AS}{_RANK}",
        rf"{_ITEMS}\s?[:,-]? (?:please )?{_MAKE} (?:it|this|them|that|its priority|the priority) {_AS}{_RANK}",
        rf"{_ITEMS}(?::| is| are| becomes?| should(?: be(?:come)?)| must be| shall be)(?: now)? (?:only |just |really |more of )?(?:an? )?{_RANK}",
        rf"(?:(?:change|set|lower|raise) )?(?:the )?priority of {_ITEMS} (?:is|should be|becomes|to|as)(?: be)? (?:an? )?{_RANK}",
        rf"{_ITEMS}\s?[:：]\s?(?:the )?priority\s?[:：=]?(?: is| to)? (?:an? )?{_RANK}",
        rf"{_ITEMS}:? {_LATER}",
        rf"{_ITEMS}\s?(?:的?优先级)?(?:[:：，,]?\s?(?:改为|改成|降为|升为|设为|设成|应该?是|应为|都?是|为)|[:：])\s?{_RANK}",
        rf"{_ITEMS}\s?(?:不(?:需)?要了|不做了|取消)",
        rf"{_ITEMS}\s?都?{_LATER}",
    )
)
_JOINT = expression(
    r"( (?=(?:because|since|as) )|[，,]?(?=因为)|\s*[,;，；]\s*(?:and |but |while )?|\s*[:–—]\s+(?=(?:it|this|that|they|these|those)\b)|[，,]?(?:而|但是?)|,? (?:and|but|while|whereas) )",
    re.IGNORECASE,
)
_REASON = expression(  # what stands behind an order and says why: `it is only the opening of my mail`
    r"^(?:(?:because|since|as)\b|(?:the|our|my) (?:\w+ )?\w+ (?:insists?|decided|agreed|agrees|said so|says so|asked for it)\b|(?:it|this|that|they|these|those)(?: (?:is|are|was|were|has|have|had|belongs?|came|comes?|stems?|do(?:es)? not|don['’]t|doesn['’]t)\b|['’](?:s|re)\b)"
    r"|因为|(?:它们?|这些?|那些?)(?:只|仅)?(?:是|属于))",
    re.IGNORECASE,
)
_RANKED_BEHIND = expression(  # `normal browsers keep 15 minutes, that is a Must, not out of scope`
    rf"^(?P<said>\S(?:(?![;；]|[.!?。]\s).){{8,}}?)(?:\s*[,;:–—-]+\s*|\s+\(|[，；])(?:and |but )?(?:that|this|it|which|这)\s?(?:['’]s|is|must be|should be|是)"
    rf"(?: really| clearly| still| now)?\s?(?:an? )?{_RANK}(?:[,，]?\s?(?:and |but )?(?:not|不是)\b[^.。]{{1,60}})?\)?[.!。！]?$",
    re.IGNORECASE,
)
_CRITERION = expression(  # `REQ-004: done when the list shows all members`
    r"^(?P<item>(?:REQ|NFR-[A-Z]{1,2})-\d+)(?:"
    r"(?: (?:is|counts as))?\s*[:：,，–—-]?\s*(?:it (?:is|counts as) |we are )?(?:done|finished|ready|complete[d]?|accepted|fulfilled|met|ok|okay|good|satisfied|happy) (?:when|if|once|as soon as)\s+"
    r"|(?:['’]s| has(?: as)?)?\s*[:：]?\s*(?:its |the |an? )?(?:acceptance )?(?:criteri(?:on|a)|test)(?: is| are)?\s*[:：]?\s+"
    r"|\s*[:：]\s*(?=(?:given|when)\b)"
    r"|\s*的?(?:验收|通过|完成)(?:标准|条件)?(?:是|为)?\s*[:：]?\s*|\s*[:：，,]?\s*(?=.{2,60}(?:时|就)(?:算|视为|才算))"
    r")(?P<said>\S.{3,})$",
    re.IGNORECASE | re.DOTALL,
)
_COUNTS_AS = expression(r"[，,]?(?:时|就)*(?:算|视为|才算)(?:是)?(?:完成|通过|做完|合格|满足)了?[。.]?$")
_QUALIFIED = (
    expression(  # whom or what a line is about, or when: `for our partners`, `when the cache is down`
        r"\b(?:for|of|when(?:ever)?|while|if|on|in|during|from|except|unless|outside|inside)\s+([^,.;:]+)"
        r"|(?:对于?|针对|当|如果|在)([^，。；：]+)",
        re.IGNORECASE,
    )
)
_REPLACES = expression(  # what says that the new number takes the place of the old one
    r"\b(?:instead|no longer|rather than|not \S+(?: \S+){0,3} but|now|from now on"
    r"|(?:chang|rais|lower|set|increas|decreas|reduc|extend|shorten)\w*\b.*\bto)\b"
    r"|改为|改成|改到|而不是|不再|(?:提高|降低|延长|缩短|增加|减少|调整)(?:到|至|为)",
    re.IGNORECASE,
)
_OLD = expression(  # the number that is not to hold any more: `not 5 but 10`, `10 instead of 5`, `from 5 to 10`
    r"\b(?:not|no longer) \d[\d.,]*(?: [^\W\d]+){0,4}?,? but(?: rather)?\s+|\bfrom \d[\d.,]*(?: [^\W\d]+){0,4}?\s+(?=to \d)"
    r"|,?\s(?:instead of|rather than|(?:and )?not|no longer) \d[\d.,]*(?: (?!for\b|when\b|on\b|if\b)[^\W\d]+){0,4}"
    r"|不(?:再)?是\s?\d[\d.]*[^，,\d]{0,6}[，,]?\s?而是",
    re.IGNORECASE,
)
_MOST = 99  # pieces of a sentence in which priorities are looked for
_ALIKE = 0.6  # share of the line's words, numbers aside, that the statement holds


def _value(text: str) -> re.Match[str] | None:
    """The only value that a text states, with its bound and unit; None where there are several."""
    lex = lexicon_of(text)
    if lex.language == "zh":
        found = [match for match in lex.patterns["target"].finditer(text) if re.search(r"\d", match[0])]
    else:
        found = [match for match in quantities(text) if re.search(r"\d", match[0])]
    return found[0] if len(found) == 1 else None


def _unit(value: str) -> str:
    """What a value counts, without its number and bound: `at most 30 s` and `less than 3 seconds` -> `s`."""
    said = re.split(r"\d[\d.,]*", value)[-1].strip(TRIM).lower()
    return re.sub(r"(?:以内|以下|以上|之内)$", "", said).strip()[:1]


def _words(text: str) -> frozenset[str]:
    return frozenset(word for word in keywords(text) if not re.search(r"\d", word))


def canonical(line: str) -> str:
    """A line with its identifiers as documents write them: `req-7` as `REQ-007`."""
    return _NAMED.sub(lambda found: f"{_prefix(found[1].upper())}-{int(found[2]):03d}", line)


def _prefix(said: str) -> str:
    return said if said == "REQ" or "-" in said else f"NFR-{said[3:]}"


def amended(items: list[Requirement], lines: list[str]) -> tuple[list[Requirement], list[str]]:
    """The items with the new numbers that the lines give them, and the lines that gave one."""
    done = list(items)
    told = []
    for line in lines:
        if found := _exchanged(done, line):
            place, old, new = found
            done[place] = _put(done[place], partial(number(old).sub, new))
            told.append(line)
            continue
        at = _meant(done, line)
        value = _value(without_old(line))
        if at is not None and value is not None and not _is_of_its_own(line, value, done[at]):
            done[at] = _with_value(done[at], value[0].strip(TRIM))
            told.append(line)
    return done, told


def ranked(items: list[Requirement], lines: list[str]) -> tuple[list[Requirement], list[str]]:
    """The items with the priorities that the lines give them, and the lines that gave one; `Won't` for what is removed."""
    done = {item.id: item for item in items}
    told = []
    for line in lines:
        text, given = ranked_behind(line)
        carriers = [
            item for item in done.values() if given and carries(text, f"{item.statement} {item.quote}")
        ]
        if carriers:
            done |= {item.id: _with_rank(item, given) for item in carriers if given}
            told.append(line)
        found = _ranking(line)
        ids = _ITEM.findall(found["items"]) if found else []
        rank = _rank_of(found) if found else ""
        if rank and ids and all(name in done for name in ids):
            done |= {name: _with_rank(done[name], rank) for name in ids}
            told.append(line)
    return list(done.values()), told


def parts(sentence: str) -> list[str]:
    """A sentence with each priority that it gives as a part of its own: `REQ-002 is a Should | REQ-003 can wait`."""
    pieces = _JOINT.split(sentence.strip())
    if len(pieces) > _MOST:
        return [sentence.strip()]
    found: list[str] = []
    rest = ""
    for before, piece in zip(["", *pieces[1::2]], pieces[::2], strict=True):
        if found and not rest and is_ranking(f"{found[-1]}{before}{piece}"):
            found[-1] += f"{before}{piece}"
        elif is_ranking(f"{rest}{before}{piece}" if rest else piece):
            found.append(f"{rest}{before}{piece}" if rest else piece)
            rest = ""
        elif is_ranking(piece):
            found += [rest, piece]
            rest = ""
        else:
            rest = f"{rest}{before}{piece}" if rest else piece
    return [part for part in [*found, rest] if part.strip()]


def with_criteria(items: list[Requirement], lines: list[str]) -> tuple[list[Requirement], list[str]]:
    """The items with the criteria that the lines give them by their identifiers, and the lines that gave one."""
    done = {item.id: item for item in items}
    told = []
    for line in lines:
        found = _CRITERION.match(line.strip())
        item = done.get(found["item"].upper()) if found else None
        if found is None or item is None or item.moscow == "Won't":
            continue
        said = _COUNTS_AS.sub("", found["said"].strip())
        said = upper_first(said)
        if said not in item.acceptance_criteria:
            update = {"acceptance_criteria": [*item.acceptance_criteria, said]}
            done[item.id] = item.model_copy(update=update)
        told.append(line)
    return list(done.values()), told


def ranked_behind(line: str) -> tuple[str, Moscow | None]:
    """A statement and the priority that is given behind it; the whole line and None where none is."""
    found = _RANKED_BEHIND.match(line.strip())
    return (found["said"].strip(), _rank_of(found)) if found else (line, None)


def is_reason(line: str) -> bool:
    """Whether a line behind an order says why it is given, and nothing of what the product must do."""
    return _REASON.match(line.strip()) is not None and first_modal(line, lexicon_of(line)) is None


def is_criterion(line: str) -> bool:
    """Whether a line says when an item that it names is done."""
    return _CRITERION.match(line.strip()) is not None


def is_ranking(line: str) -> bool:
    """Whether a line says nothing but the priority of items that it names, or that they are not asked for any more."""
    return _ranking(line) is not None


def _ranking(line: str) -> re.Match[str] | None:
    return next((found for pattern in _RANKED if (found := pattern.match(line.strip()))), None)


def _rank_of(found: re.Match[str]) -> Moscow:
    said = found.groupdict()
    if said.get("later") or said.get("rank") in ("可有可无", "可做可不做"):
        return "Could"
    return priority_of(said.get("rank") or "won't") or "Could"  # type: ignore[return-value]


def _with_rank(item: Requirement, rank: Moscow) -> Requirement:
    asked: dict[str, object] = {"user_story": None, "acceptance_criteria": []} if rank == "Won't" else {}
    return item.model_copy(update={"moscow": rank, **asked})


def is_amendment(line: str) -> bool:
    """Whether a line gives an item that it names by its identifier a number, and says nothing else."""
    bare = without_old(line)
    return (
        _ITEM.search(line) is not None
        and _value(bare) is not None
        and first_modal(bare, lexicon_of(bare)) is None
    )


def without_old(line: str) -> str:
    """A line without the number that is not to hold any more, and without identifiers."""
    return " ".join(_OLD.sub(" ", OWN_ID.sub(" ", line)).split()).strip(TRIM)


def has_exchanged(items: Sequence[Requirement], line: str) -> bool:
    """Whether one of the items has the number by now that a line puts in the place of another."""
    found = None if _ITEM.search(line) else exchanged(line)
    wanted = _words(line)
    return found is not None and any(
        number(found[1]).search(item.statement) and wanted & _words(f"{item.title} {item.statement}")
        for item in items
    )


def _exchanged(items: list[Requirement], line: str) -> tuple[int, str, str] | None:
    """(place of the only item that has the old number and most words of a line, the old, the new); None without one."""
    numbers = exchanged(line)
    if numbers is None or _ITEM.search(line):
        return None
    old, new = numbers
    wanted = _words(line)
    shared = {
        at: len(wanted & _words(f"{item.title} {item.statement}"))
        for at, item in enumerate(items)
        if item.moscow != "Won't" and number(old).search(item.statement)
    }
    most = max(shared.values(), default=0)
    best = [at for at, count in shared.items() if count == most]
    return (best[0], old, new) if most and len(best) == 1 else None


def _meant(items: list[Requirement], line: str) -> int | None:
    """The item that a line gives another number: the one it names, else the one that says the same."""
    value = _value(without_old(line))
    if value is None:
        return None
    named = _ITEM.search(line)
    if named:
        return next(
            (at for at, item in enumerate(items) if item.id == named[0] and _value(item.statement)), None
        )
    bare = without_old(line)
    wanted = _words(bare[: value.start()] + " " + bare[value.end() :])
    best: tuple[float, int | None] = (0.0, None)
    for at, item in enumerate(items):
        old = _value(item.statement)
        if old is None or item.moscow == "Won't" or _unit(old[0]) != _unit(value[0]):
            continue
        own = _words(item.statement[: old.start()] + " " + item.statement[old.end() :])
        share = len(wanted & own) / max(1, len(wanted))
        if len(wanted & own) > 1 and old[0].strip(TRIM) != value[0].strip(TRIM):
            best = max(best, (share, at), key=lambda row: row[0])
    return best[1] if best[0] >= _ALIKE else None


def _is_of_its_own(line: str, value: re.Match[str], item: Requirement) -> bool:
    """Whether a line says for whom, when or where its number holds, which the item does not: then the item's holds besides."""
    if _REPLACES.search(line):
        return False
    bare = without_old(line)
    rest = f"{bare[: value.start()]} {bare[value.end() :]}"
    narrowed = {word for found in _QUALIFIED.finditer(rest) for word in _words(found[1] or found[2])}
    return not narrowed <= _words(f"{item.title} {item.statement} {item.quote}")


def _with_value(item: Requirement, value: str) -> Requirement:
    old = _value(item.statement)
    if old is None:
        return item
    said = old[0].strip(TRIM)
    return _put(item, lambda text: text.replace(said, value))


def _put(item: Requirement, put: Callable[[str], str]) -> Requirement:
    """The item with a change of its texts; its quote stays what the request says."""
    story = item.user_story
    return item.model_copy(
        update={
            "title": put(item.title),
            "statement": put(item.statement),
            "acceptance_criteria": [put(text) for text in item.acceptance_criteria],
            "user_story": story.model_copy(update={"i_want": put(story.i_want)}) if story else None,
        }
    )
