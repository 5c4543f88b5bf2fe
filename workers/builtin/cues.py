"""What a sentence is recognised by that no lexicon of one language holds: polite wishes, offers, values to reach, mixed sections."""
# ruff: noqa: E501 - patterns are read whole

from __future__ import annotations

import re

from orchestrator.domain.patterns import expression
from workers.builtin.goals import goal_of
from workers.builtin.people import people_in
from workers.builtin.wishes import imperative
from workers.documents.lexicon import Lexicon
from workers.documents.outcomes import says_both
from workers.documents.passage import ASKED
from workers.documents.reading_words import column_of, statement_words
from workers.documents.sentences import Sentence

CLARIFY = expression(  # `... (to clarify: how long?)`
    r"\s*[(\[（【](?:needs clarification|to clarify|open|tbd|待确认|待定)\s*[:：]\s*([^)\]）】]{3,})[)\]）】]",
    re.IGNORECASE,
)
GIVEN = expression(r"\W*(?:given|when|then|gegeben|étant donné|dado)\b|假如|给定|当", re.IGNORECASE)
_WITHOUT = expression(  # what a first version does without, within a sentence: `Search only, no payment, no accounts`
    r"[,(] ?(?P<said>no (?P<first>[\w-]+)(?: [\w-]+)?(?:,? (?:and )?no [\w-]+(?: [\w-]+)?)+)(?=\s*(?:[:;,.)(]|$))",
    re.IGNORECASE,
)
_WITHOUT_LAST = expression(  # the same at the end of a wish: `..., and please no app to install`
    r",\s+(?:and |but )?(?:please )?(?P<said>no (?!(?:idea|problem|rush|hurry|matter|exceptions?|excuses|later|more|less|longer|one|need|doubt|worries|thanks|other|new)\b)(?P<first>[\w-]+)(?: [\w-]+){0,3})[.!]?$",
    re.IGNORECASE,
)
_NONE = expression(r"no\b", re.IGNORECASE)
MAKES_HAN = expression(  # in Chinese "make X a Y"
    r"^(?:请|麻烦)?(?:[你您])?(?:帮我们?)?(?:[给为替][^，。]{1,14}?)?(?:做|开发|设计|搭建|写)一[个款套]"
)
MAKES = expression(  # the sentence that asks for the thing as a whole
    r"(?:please |now |so |ok,? )*(?:build|create|make|write|develop|implement|design|code) (?:me |us |for us )?(?:an?|the|my|our)\b|(?:请|帮我|帮我们)?(?:做|写|开发|搭建|实现)(?:一[个套款])",
    re.IGNORECASE,
)
INSISTS = expression(  # who does not give way on what is said before
    r"[,;–-] ?(?:and |because |since |as )?(?:the |our |my )?[\w-]+(?: [\w-]+){0,2} (?:won['’]?t|will not|can(?:not|['’]t)) (?:budge|allow|accept|agree|approve|tolerate|negotiate|bend|give way|back down)\b",
    re.IGNORECASE,
)
SEEN = expression(  # what is seen when something is tried
    r"\b(?:never|always|is|are) (?:\w+ly )?(?:leaves?|shown|rejected|refused|equals?|accepted|detected|identical|restored)\b|\bequals?\b|\bnever leaves?\b"
)
TELLS = expression(  # what happened, or what its author does
    r"\b(?:was|were|had|did|came|took|wrote|said|asked|went|thought|noticed|agreed|lost|waited|became|started)\b|^(?:last|yesterday|once|i|we|my|thanks|thank you|one fear|there (?:is|are)(?! to be\b)|let['’]s|so the point|our (?:median|typical|average))\b|^(?:they|we|people|[\w-]+s)(?: are|['’]re) still \w+ing\b|\b(?:i|we) (?:copy|print|think|guess|use|have|get|am|are|type|hold)\b|^\[",
    re.IGNORECASE,
)
HABIT = expression(
    r"(?:every|each) (?:morning|evening|night|day|week|month|time|(?:mon|tues|wednes|thurs|fri|satur|sun)day)\b",
    re.IGNORECASE,
)
THEY_DO = expression(  # `they type the code`
    r"(?:they|he|she) (?!(?:are|were|had|have|did|do|don['’]t|can(?:not|['’]t)|could|would|think|say|said|complain|hate|love|like|want|always|often|never|still|keep|know|feel)\b)[a-z]+(?<!ed) \w",
    re.IGNORECASE,
)
_OPTIONAL = expression(
    r"\b(?:optional\w*|if (?:time|there is time|possible)|later|some ?day|nice to have|bonus)\b|可选|以后|后续|有空|有余力|锦上添花",
    re.IGNORECASE,
)
SHOUTED = expression(r"\b[A-Z][A-Z'’]+\b")  # a word in capitals
RISKY = expression(
    r"\b(?:risk|risque|risik|riesgo|watch out|worr|danger|careful)|风险|担心", re.IGNORECASE
)  # of a heading: risks stand below it, too
EXAMPLE = expression(  # of what was asked for just before: a call and what comes of it, in code, quotes or numbers
    r"(?:for example|for instance|e\.\s?g\.|examples?|例如|比如|举例)[,:：，]?\s*(?P<said>(?=.*[`\"“\d]).{3,300}?"
    r"(?:\b(?:returns?|gives?|yields?|prints?|becomes?|results? in|evaluates? to|(?:should|must|shall) (?:be|return|give|become))\b"
    r"|→|->|=>|==|返回|得到|变成|变为).+)",
    re.IGNORECASE | re.DOTALL,
)
NO_RISK = expression(
    r"(?:(?:there (?:is|are)|we see|i see|we know of) )?(?:no|none)\b(?: \w+){0,2} ?(?:drawbacks?|risks?|downsides?|disadvantages?|known|so far)?[.!]?$",
    re.IGNORECASE,
)
NO_QUESTION = expression(  # below a heading of open questions
    r"(?:none|nothing|n/a|no (?:open |further )?(?:questions?|issues?|points?))\b(?:\s*[—–:.;(-]| (?:at|so|for|remain|left|open|right)\b|$)|(?:keine|aucune|ninguna|nessuna)\b.{0,30}$|(?:无|暂无|没有)\W*$",
    re.IGNORECASE,
)
DESCRIBES_THING = expression(  # what the thing is, below a heading of goals: `Harbour is a booking system for ...`
    r"(?:(?:the |this |our )?[\w'’-]+(?: [\w'’-]+){0,5} (?:is|are|est|ist|es|é) )?(?:an?|the|une?|eine?|una|uma) (?:[\w,'’/-]+ ){0,8}?"
    r"(?:application|app|webapp|system|platform|tool|website|web site|service|library|framework|portal|game|plugin|extension|bot|program|software|plateforme|logiciel|anwendung|aplicación|plataforma|sistema)\b"
    r"|(?:web |mobile |desktop )?(?:application|app|aplicação|aplicación|anwendung) (?:web|mobile|móvil|\()",
    re.IGNORECASE,
)
MAY = expression(  # what may go wrong
    r"\b(?:risks?|may|might|could|fears?|worr\w+|risques?|pourrai\w+|craign\w+|risik\w+|könnten?|riesgos?|podrían?)\b|风险|可能",
    re.IGNORECASE,
)
LIMITING = expression(  # of a heading: limits stand below it, too
    r"\b(?:constraint|limit|contrainte|randbedingung|einschränkung|restricci)|约束|限制", re.IGNORECASE
)
OUTSIDE = expression(  # what others provide
    r"\b(?:depends?|rel(?:y|ies)|provided?|deliver\w*|belongs?|contracts?|apis?|interfaces?|team|vendor|supplier|from the|by the|waiting|account|feed|licen[cs]es?)\b",
    re.IGNORECASE,
)
SYSTEM_DOES = expression(  # `The display shall ...`
    r"(?:the |our )?(?:[\w-]+ ){0,2}(?:system|app|application|service|server|client|display|interface|page|site|tool)s? (?:shall|must|should|could|may)\b",
    re.IGNORECASE,
)

_DOCUMENT = r"(?:document|page|specification|spec|prd|brief|rfc|memo|readme|one-pager|write-up|chapter|section|appendix|roadmap)"
_SAYS = r"(?:also |only |first |then )?(?:says?|tells?|describes?|explains?|lists?|contains?|covers?|defines?|outlines?|summari[sz]es?|collects?|captures?|records?|specifies|serves?|applies)"
SAYS_OF_TEXT = expression(rf"^it {_SAYS}\b", re.IGNORECASE)  # behind a sentence about the document
ABOUT_TEXT = expression(  # what is said of the document: `The order within a group says nothing`
    r"^(?:please |also |for (?:details|more),? )*see (?:also )?(?:the |our |section\b|chapter\b|[\"“`\[]|above\b|below\b|#\d|[A-Z]\w+\.md\b)(?!.*\b(?:must|should|can|want)\b)"
    r"|^(?:as (?:you )?(?:requested|agreed|discussed|promised|asked|announced)[^,;]{0,50}?,? )?(?:i|we)(?: have|['’]ve) (?:set out|listed|written|collected|put together|noted|summari[sz]ed|sorted|tried to)\b"
    r"|^(?:(?:but|and|it['’]?s|it is|that['’]?s|this is) )*(?:not|nothing) (?:essential|urgent|critical|vital|crucial)\b[^.,;]{0,20}[.!]?$|"
    rf"^this {_DOCUMENT} (?:{_SAYS}|(?:is|will be) (?:an? (?:living|draft|working|short|first)|the (?:source|result|basis)|meant|intended|written|maintained|kept|updated|revised|for (?:the )?\w+ (?:team|who)))\b"
    r"|^(?:in this (?:part|document|section|table|list|page)\b.{0,60}\b(?:marks?|means?|denotes?|stands? for|is used)\b"
    r"|(?:the |each |all |these |this |our )?(?:order|numbers?|numbering|ids?|identifiers?|letters?|columns?|rows?|colou?rs?|stars?|list|table|page|document|section|chapter|sentences?|items? in (?:italics|brackets|bold))\b(?! of (?:the |all |each )?\w+ (?:must|shall|should))[^.]{0,40}?\s(?:says? nothing|means? nothing|means?|implies?|refers? to (?:the )?(?:section|part|chapter|table|list|appendix|annex|document|page)|is not (?:a ranking|complete|final|exhaustive)|are not (?:a ranking|complete|final)|(?:has|have) no meaning|(?:does|do) not (?:imply|mean))\b"
    r"|(?:replace|delete|remove|fill in|complete|edit) (?:sections?|lines?|text|grey|this (?:text|section|line|page)|the (?:text|sections?|parts?) (?:that|in|between))\b)",
    re.IGNORECASE,
)
STAYS_IN = expression(r"\bstays? in (?-i:[A-Z])", re.IGNORECASE)  # `Invoices stay in Lightspeed`
_USES = expression(  # a wish for something to be used, or to do something, not for a state: `I want to see how many wait`
    r"^(?:(?:and|also|then|so|but|ideally|sometimes|in addition|as (?:discussed|agreed|said|mentioned|promised)[^,.]{0,30}?),? )*(?:i|we|they)(?: also| would|['’]d| really)* (?:want|like|love|need) "
    r"(?:(?:it|(?:the|our|this|that|an?) (?:[\w'’-]+ ){0,3}?(?:app|application|system|portal|site|website|page|tool|program|platform|service|software|dashboard|bot|form|script|plugin|extension|screen|library|api)) )?to (?:be able to )?(\w+)\b",
    re.IGNORECASE,
)


def without(text: str, *, short: bool) -> re.Match[str] | None:
    """What a sentence that asks for something says it is to be without. `short`: of a request of few sentences."""
    last = _WITHOUT_LAST.search(text) if short and not _NONE.match(text) else None
    return _WITHOUT.search(text) or last


def uses(row: Sentence, lex: Lexicon, *, rich: bool) -> bool:
    """Whether a wish says what its author wants to do with the thing, rather than what it is to bring about.

    `rich`: the text has a section of requirements, beside which only a list says so.
    """
    found = _USES.match(row.text) if row.item or not rich else None
    return (
        found is not None
        and found[1].lower() in lex.verbs
        and found[1].lower() not in statement_words("outcomes")
    )


def is_test(row: Sentence) -> bool:
    """Whether a measure of success tells what is seen when something is tried, rather than a value to reach."""
    values = row.passage.values
    given = values.get("metric") or values.get("target") or re.search(r"\d\s?%|[<>≤≥]", row.text)
    return not given and row.text.rstrip().endswith((".", "。")) and bool(SEEN.search(row.text))


def reaches(row: Sentence, lex: Lexicon) -> bool:
    """Whether a sentence without a section of its own says which value something measured is to reach."""
    read = goal_of(row.text, lex)
    if not read.target or lex.find("bound", row.text) or lex.find("as_a", row.text):
        return False
    wanted = lex.find("want", row.text) is not None
    changes = lex.find("outcome", row.text) is not None
    if says_both(row.text) and not row.passage.id:
        return True
    return (changes and (wanted or not re.search(r"\b(?:was|were|had|last|used to)\b", row.text))) or (
        wanted
        and (_TO_BE.search(row.text) or not lex.find("makes", row.text))
        and any(c.isdigit() for c in read.target)
    )


def is_described(row: Sentence, modal: tuple[str, re.Match[str]] | None) -> bool:
    """Whether a sentence of a manual asks for nothing: it is no item of a list of wishes, and has no strong modal."""
    return not (row.role in ASKED and row.item and not re.search(r"https?:", row.text)) and not (
        modal and modal[0] == "Must"
    )


def tells(row: Sentence, lex: Lexicon) -> bool:
    """Whether prose without a role tells something, or a row stands in a table that no header explains."""
    kind = row.passage.block.kind
    if kind == "row":
        return not any(column_of(header) for header, _ in row.passage.block.cells) and not imperative(
            row.text, lex
        )
    return kind == "paragraph" and lex.language == "en" and TELLS.search(row.text) is not None


_TO_BE = expression(
    r"\bwants? (?:an?|some) (?:[\w-]+ ){1,5}?to (?!be able)\w+", re.IGNORECASE
)  # what becomes of a thing
ALTERNATIVES = expression(r"\balternativ|替代", re.IGNORECASE)  # a heading of what was considered instead


_AGAINST = expression(
    r"\s*(?:→|=>|->|⇒)\s*|(?<=[.!])\s+(?=(?:the |our )?(?:[\w-]+ )?(?:system|app|application|service|tool|page|site)s? (?:shall|must)\b)",
    re.IGNORECASE,
)


def answered_risk(text: str) -> tuple[str, str]:
    """A risk, and what is said against it behind an arrow or in a sentence about the system; empty when nothing is."""
    said, *against = _AGAINST.split(text, maxsplit=1)
    return (said.rstrip(), against[0]) if against and said.strip() else (text, "")


def grants(text: str, lex: Lexicon, modal: tuple[str, re.Match[str]], actor: str) -> bool:
    """Whether a `may` permits somebody something (`A volunteer may swap a shift`), rather than making it optional."""
    if modal[0] != "Could" or modal[1][0] not in ("may", "May", "可以", "可"):
        return False
    return bool(actor or people_in(text, lex)) and not _OPTIONAL.search(text)


OF_US = expression(r"(?:we|the (?:system|app|application|product|tool)|it)\b", re.IGNORECASE)


_NAMED = expression(  # `Cost preview — show the price before each call`
    r"(?P<name>[A-Z0-9][^—–:.;!?()|,]{2,46}?)\s+(?:[—–]|--?)\s+(?=\S+ \S)", re.DOTALL
)
_VERB = expression(
    r"\b(?:must|shall|should|can|could|may|will|would|is|are|was|were|has|have|not|no|i|we|they|you|it)\b",
    re.IGNORECASE,
)
_NAME = 6  # words of a name


def led_by_name(row: Sentence) -> tuple[str, str]:
    """The name that a statement begins with, and what it says behind: `**Safe retries.** The same call ...`, `Search — ...`."""
    named = _NAMED.match(row.text) if row.item else None
    if named and len(named["name"].split()) <= _NAME and not _VERB.search(named["name"]):
        return named["name"], row.text[named.end() :]
    name = next(iter(row.passage.block.strong), "")
    said = row.text.removeprefix(name).lstrip(" .:：。–—-")
    led = row.item and name and said != row.text and len(said) > len(name)
    ends = name.endswith((".", "。", ":", "：")) or row.text[len(name) : len(name) + 1] in (
        ".",
        "。",
        ":",
        "：",
    )
    return (name.strip(" .:：。"), said) if led and ends else ("", row.text)


ALREADY = expression(  # what exists, told as a sentence: `We already have a reset`, `The export was finished last year`
    r"^(?!.*\b(?:but|must|should|shall|will|when|if|who|that|which|once|want|need|until|not)\b)(?:(?:\w+ ){1,4}can already \w"
    r"|(?:we|it|there|they|the \w+|\w+s) (?:already (?:have|has|can|exists?|supports?|works?)|(?:is|are) already (?:there|built|done|live|implemented|in place|available|supported))\b"
    r"|(?:\w+ ){1,5}(?:was|were|has been|have been) (?:finished|completed|shipped|released|delivered|implemented) (?:in|last|on|with|by us)\b)",
    re.IGNORECASE,
)


_RULE = expression(
    r"\b(?:costs?|(?:is|are|stays?) (?:free|due|valid|charged|billed|refunded|rounded|limited|capped|forfeited)|expires?|lapses?"
    r"|counts? as|lasts?|pays?)\b",
    re.IGNORECASE,
)
_FIRM = expression(r"\d|\b(?:never|always|only|free|nothing|everybody|nobody)\b", re.IGNORECASE)
_FACT = expression(
    r"\b(?:we|i|us|me|our|my|today|currently|now|at (?:the moment|present)|so far|often|sometimes|usually|mostly|about|around"
    r"|roughly|nearly|last (?:week|month|year)|too (?:much|long)|was|were|had)\b",
    re.IGNORECASE,
)


def rules(text: str) -> bool:
    """Whether a plain statement gives a rule of what is asked for: `A day never costs more than 18 EUR`."""
    return bool(_RULE.search(text) and _FIRM.search(text) and not _FACT.search(text))
