"""Technologies that a text names, by layer. The names are data: config/technologies.toml."""
# ruff: noqa: E501 - patterns are read whole

from __future__ import annotations

import re
import tomllib
from functools import cache

from orchestrator.config import resources
from orchestrator.domain.dataclass import dataclass
from orchestrator.domain.patterns import expression

_TOKEN = expression(r"(?<![\w/.@-])[A-Za-z][\w.+#-]*[\w+#]|(?<![\w/.@-])[A-Z](?![\w.])|(?<![\w.])\.NET\b")
_NEAR = 24  # characters before and behind a name that say whether an ordinary word is one
_BEGINS = expression(r"(?:\A|[\n.!?:|*•>-])\W*\Z")
_BUILT = expression(r"\b(?:in|using|with|of|and|or|[A-Z][\w+#]*,)\s+\Z")  # `written in C`
_CODE = expression(
    r"\s+(?:code|compiler|extension|header|library|libraries|program|language|script|package|API|bindings?)\b"
)
_BESIDE = expression(  # words that stand around the names of technologies
    r"\b(?:we(?:['’]ll| will)?|please|must|should|will|be|is|are|it|the|an?|our|and|or|with|for|on|in|as|via|by|to|of|plus|use[ds]?|using|built?|written|based|run(?:s|ning)?|hosted|deploy(?:ed|ment)?"
    r"|tech(?:nology)?|stack|front-?end|back-?end|client|server|web|mobile|app|api|apis|routes?|database|db|data|store|storage|cache|queue|auth(?:entication)?|orm|host(?:ing)?|cloud|infrastructure|language|framework|library"
    r"|styling|css|ui|tests?|testing|build|tool(?:s|ing)?|ci|cd|mit|und|für|auf|basis|von|datenbank|avec|et|pour|base de données|con|y|para|使用|采用|前端|后端|数据库)\b|前端|后端|数据库|使用|采用",
    re.IGNORECASE,
)
_VERSION = expression(r"\s+v?\d+(?:\.\d+)+\b")  # `Go 1.22`
_REFUSED = expression(  # before the name of what is not to be used, or no longer
    r"(?:\b(?:no|not|without|instead of|rather than|in place of|avoid(?:ing)?|no need for|(?:switch(?:ed|ing)?|migrat(?:e|ed|ing)|mov(?:e|ed|ing)) (?:away )?from"
    r"|not (?:on|with|in)|no longer (?:on|with|in|use|using))\s+(?:(?:any|the|an?|use of|using|extra|new)\s+)?"
    r"|(?:\bnot|\bnever|n['’]t) (?:to )?(?:use|using|need|want|require|introduce|add|(?:run|work|depend|rely|be) (?:on|in|with))\s+(?:(?:any|the|an?)\s+)?"
    r"|\b(?:keine?n?|ohne|statt|anstelle von|kein neues|pas de|sans|au lieu de|sin|en lugar de)\s+(?:(?:de|le|la|el|die|das|den)\s+)?"
    r"|(?:不用|不要用?|别用|不使用|不引入|不依赖|无需|而不是)\s*)\Z",
    re.IGNORECASE,
)
_NOR = expression(r"\s*(?:/|\bor\b|\bnor\b|\boder\b|\bou\b|或|、)\s*\Z", re.IGNORECASE)
_OTHER = expression(r"\s+(?:AD|Active Directory|Entra|DevOps)\b")  # a product of the same house


@dataclass(frozen=True, slots=True)
class _Known:
    layers: dict[str, str]  # name -> layer
    common: frozenset[str]


@cache
def _known() -> _Known:
    data = tomllib.loads((resources() / "config" / "technologies.toml").read_text(encoding="utf-8"))
    layers = {name: layer for layer, names in data["layers"].items() for name in names.split()}
    return _Known(layers, frozenset(data["common"].split()))


def layer_of(name: str) -> str:
    """The layer of a technology; empty for a name that is none."""
    return _known().layers.get(name.lower(), "")


def technologies(text: str) -> tuple[tuple[str, str], ...]:
    """(name, layer) of each technology that the text names, spelled as there; without those that it only refuses."""
    known = _known()
    found: dict[str, tuple[str, str]] = {}
    refused = -1  # where the last one ends that is not to be used
    for match in _TOKEN.finditer(text):
        word = match[0].rstrip(".-")
        low = word.lower()
        layer = known.layers.get(low)
        if (
            layer
            and (low not in known.common or _is_name(text, match, word))
            and not _OTHER.match(text, match.end())
        ):
            before = text[max(0, match.start() - _NEAR) : match.start()]
            beside = 0 <= refused <= match.start() and _NOR.fullmatch(text, refused, match.start())
            if beside or _REFUSED.search(before):
                refused = match.end()
                continue
            found.setdefault(low, (word, layer))
    return tuple(found.values())


_MEANS = frozenset(
    {"language", "framework", "storage", "platform"}
)  # layers of what a thing is made of, and runs on
_SYSTEMS = frozenset("linux windows macos android ios ipados watchos".split())  # noqa: SIM905 - people have them
_WITHOUT = expression(r"(?:(?:and|but|also|please) )*no ([\w.+#-]*[\w+#])(?: please)?[.!]?", re.IGNORECASE)


def refuses(text: str) -> bool:
    """Whether a statement only says what the work has to do without: `no Kubernetes`."""
    found = _WITHOUT.fullmatch(text.strip())
    name = found[1].lower() if found else ""
    return layer_of(name) in _MEANS and name not in _known().common | _SYSTEMS


def names_alone(text: str) -> bool:
    """Whether a statement only says what something is built with: `Backend: Next.js API routes with Prisma`, `Use PostgreSQL`."""
    named = {name.lower() for name, _ in technologies(text)}
    said = _BESIDE.sub(" ", re.sub(r"[(（][^()（）]*[)）]", " ", text))
    words = [word.strip(".,-/").lower() for word in re.findall(r"[^\W\d_][\w.+#-]*", said)]
    others = {
        word for word in words if len(word) > 1 and word not in named and not set(word.split("/")) & named
    }
    return bool(named) and len(others) <= len(named)


def _is_name(text: str, match: re.Match[str], word: str) -> bool:
    """Whether a word that is an ordinary one too is written as a name: in capitals, not only where a sentence begins."""
    before = text[max(0, match.start() - _NEAR) : match.start()]
    if len(word) == 1:
        return _BUILT.search(before) is not None or _CODE.match(text, match.end()) is not None
    if word != word.lower() and _VERSION.match(text, match.end()):
        return True
    return word.isupper() or (word != word.lower() and not _BEGINS.search(before))
