"""What a request says is kept: the entities below `Data model`, `Key entities`, `Database schema`, with their fields.

An entity is an item or row (`Bed: id, ward`), a heading or item with its fields below, or a declaration in code.
"""
# ruff: noqa: E501 - patterns are read whole

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache

from orchestrator.domain.dataclass import dataclass
from orchestrator.domain.patterns import expression
from workers.documents.passage import Passage

_SECTION = expression(
    r"\W*(?:[\d.]+\s+)?(?:(?:core|key|main|initial|proposed|conceptual|logical|high-level|basic|simplified|draft)\s+)*(?:data ?(?:base )?(?:models?|schemas?|structures?|entities|design|tables?)|domain (?:model|entities|objects)|(?:key |core |main )?entities|entity (?:model|relationships?)|db schema|schema|database"
    r"|datenmodell|datenstruktur(?:en)?|datenbankschema|entitäten|modèle de données|entités|modelo de datos|entidades|modello dei dati|entità|数据模型|数据结构|数据库设计|数据库表|数据表|实体|データモデル|データ構造)(?:\s+(?:and|&|und|et|y)\s+\w+)?(?:\s*[(（*].*)?\W*",
    re.IGNORECASE,
)
_NAMED = expression(
    r"^[*_`\"“]*(?P<name>[^\W\d][\w -]{0,38}?)[*_`\"”]*\s*(?:[:：]|\s[–—-]\s|\((?=[^()]*[,、]))\s*(?P<fields>\S.*?)\)?[.。]?$",
    re.DOTALL,
)
_FIELD = expression(
    r"^[*_`]*(?P<name>[^\W\d_][\w -]{0,38}?)[*_`]*\s*(?:$|[:：(（]|\s[–—-]\s|,?\s+(?:which|that)\b)"
)
_SPLIT = expression(r"\s*[,;，；、]\s*(?![^()（）]*[)）])(?:and |und |et |y )?|\s+and\s+")
_TABLE = expression(
    r"create\s+table\s+(?:if\s+not\s+exists\s+)?[\"`\[]?(?:\w+\.)?(\w+)[\"`\]]?\s*\((.*?)\)\s*;",
    re.IGNORECASE | re.DOTALL,
)
_TYPE = expression(
    r"\b(?:interface|type|model|entity|class|struct|table)\s+(\w+)[^{\n]*\{(.*?)\}", re.IGNORECASE | re.DOTALL
)
_COLUMN = expression(r"^\s*[\"`]?([A-Za-z_]\w*)[\"`]?\??\s*[:\s]\s*\S", re.MULTILINE)
_NO_COLUMN = frozenset(
    "primary foreign unique constraint check index key references create export import".split()  # noqa: SIM905
)
_FIELDS = frozenset(
    "fields field attributes attribute columns column properties property key felder attribut champs campos 字段 属性".split()  # noqa: SIM905
)
_WORDS = 4  # of a field; more words are a sentence about it
_MAY = expression(r"\b(?:must|shall|should|may|can|will|has to|have to|need)\b|必须|应|可以", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class StatedEntity:
    name: str
    fields: tuple[str, ...] = ()
    description: str = ""  # what is said of it instead of fields
    blocks: tuple[str, ...] = ()  # of the request, that say so


def below_data(passage: Passage) -> bool:
    """Whether a block stands below a heading about what is kept."""
    return any(map(is_of_data, passage.block.section))


@lru_cache(maxsize=4096)
def is_of_data(heading: str) -> bool:
    """Whether a heading says that what is kept stands below it."""
    return _SECTION.fullmatch(heading) is not None


def stated_entities(read: Sequence[Passage]) -> list[StatedEntity]:
    """The entities of a request in order, each once."""
    found: dict[str, StatedEntity] = {}
    headings: dict[str, str] = {}  # block of a heading or item that names an entity -> the entity

    def add(name: str, fields: Iterable[str], block: str, said: str = "") -> None:
        key = name.strip(" *_`").casefold()
        known = found.get(key, StatedEntity(name.strip(" *_`")))
        more = [one for one in dict.fromkeys(fields) if one and one not in known.fields]
        blocks = tuple(dict.fromkeys((*known.blocks, block)))
        found[key] = StatedEntity(known.name, (*known.fields, *more), known.description or said, blocks)

    last = ""
    for passage in read:
        block = passage.block
        if block.kind == "heading":
            inner = below_data(passage) and not is_of_data(block.text)
            last = block.text if inner and len(block.text.split()) <= 4 else ""
            continue
        if block.kind == "code":
            for pattern in (_TABLE, _TYPE) if below_data(passage) else ():
                for match in pattern.finditer(block.text):
                    add(match[1], _columns(match[2]), block.id)
            continue
        if not below_data(passage) or _MAY.search(block.text):
            continue
        if block.kind == "row":
            name, fields = _of_row(passage, last)
            if name:
                add(name, fields, block.id)
        elif block.parent in headings:
            add(headings[block.parent], [_field(block.text)], block.id)
        elif named := _NAMED.match(block.text):
            fields = _fields(named["fields"])
            if last and len(fields) < 2:  # a field of the entity in the heading, with its type
                add(last, [_field(block.text)], block.id)
            elif fields or block.kind == "item":
                add(named["name"], fields, block.id, "" if fields else named["fields"])
                headings[block.id] = named["name"]
        elif block.kind == "item" and last:
            add(last, [_field(block.text)], block.id)
        elif block.kind == "item" and len(block.text.strip("*_`: ").split()) <= 3:
            name = block.text.strip("*_`: ")
            add(name, (), block.id)
            headings[block.id] = name
    return list(found.values())


def _fields(text: str) -> list[str]:
    """The fields of a list; empty for a sentence."""
    listed = re.split(r"[.。]\s", text)[0]
    pieces = [piece for piece in _SPLIT.split(listed) if piece]
    short = [piece for piece in pieces if len(piece.split()) <= _WORDS]
    return [_field(piece) for piece in pieces] if pieces and len(short) == len(pieces) else []


def _field(text: str) -> str:
    found = _FIELD.match(text.strip())
    return (found["name"] if found else text).strip(" *_`.")


def _of_row(passage: Passage, heading: str) -> tuple[str, list[str]]:
    """(entity, fields) of a row: `Entity | Fields`, or `Field | Type` below the heading of an entity."""
    cells = passage.block.cells
    first = cells[0][0].strip(" *").casefold()
    if heading and first in _FIELDS:
        return heading, [_field(cells[0][1])]
    held = next(
        (cell for header, cell in cells[1:] if {*header.strip(" *").casefold().split()} & _FIELDS), ""
    )
    return (cells[0][1], _fields(held)) if held and first not in _FIELDS else ("", [])


def _columns(body: str) -> list[str]:
    names = [match[1] for part in re.split(r",\s*\n|[;\n]", body) if (match := _COLUMN.match(part))]
    return [name for name in names if name.lower() not in _NO_COLUMN]
