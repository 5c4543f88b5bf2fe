"""Names a source file defines and modules it imports, by parsing it with tree-sitter."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING

from orchestrator.domain.dataclass import dataclass, field
from orchestrator.domain.json_types import Json

if TYPE_CHECKING:
    from tree_sitter import Language, Node, Query

MAX_SYMBOLS = 400  # of one file
_MAX_LINE = 5_000  # longer lines are generated code: slow to parse, worthless to read

# Captures are named for what they find; `import` holds a module's name as the language writes it.
_PYTHON = """
(class_definition name: (identifier) @class)
(function_definition name: (identifier) @function)
(module (expression_statement (assignment left: (identifier) @constant)))
(import_statement name: (dotted_name) @import)
(import_statement name: (aliased_import name: (dotted_name) @import))
(import_from_statement) @from
"""
_JAVASCRIPT = """
(class_declaration name: (_) @class)
(function_declaration name: (identifier) @function)
(generator_function_declaration name: (identifier) @function)
(method_definition name: (property_identifier) @method)
(variable_declarator name: (identifier) @function value: [(arrow_function) (function_expression)])
(import_statement source: (string (string_fragment) @import))
(export_statement source: (string (string_fragment) @import))
(call_expression function: (identifier) @callee (#eq? @callee "require")
  arguments: (arguments . (string (string_fragment) @import)))
"""
_TYPESCRIPT = (
    _JAVASCRIPT
    + """
(interface_declaration name: (type_identifier) @interface)
(type_alias_declaration name: (type_identifier) @type)
(enum_declaration name: (identifier) @enum)
(abstract_class_declaration name: (type_identifier) @class)
"""
)
_GO = """
(function_declaration name: (identifier) @function)
(method_declaration name: (field_identifier) @method)
(type_spec name: (type_identifier) @type)
(import_spec path: (interpreted_string_literal) @import)
"""
_RUST = """
(function_item name: (identifier) @function)
(struct_item name: (type_identifier) @struct)
(enum_item name: (type_identifier) @enum)
(trait_item name: (type_identifier) @trait)
(type_item name: (type_identifier) @type)
(macro_definition name: (identifier) @macro)
(mod_item name: (identifier) @module)
(use_declaration argument: (_) @import)
"""
_JAVA = """
(class_declaration name: (identifier) @class)
(interface_declaration name: (identifier) @interface)
(enum_declaration name: (identifier) @enum)
(record_declaration name: (identifier) @class)
(method_declaration name: (identifier) @method)
(import_declaration (scoped_identifier) @import)
"""
# Extension -> (wheel, function that gives its language, query).
_GRAMMARS: dict[str, tuple[str, str, str]] = {
    **dict.fromkeys(("py", "pyi"), ("tree_sitter_python", "language", _PYTHON)),
    **dict.fromkeys(("js", "jsx", "mjs", "cjs"), ("tree_sitter_javascript", "language", _JAVASCRIPT)),
    **dict.fromkeys(("ts", "mts", "cts"), ("tree_sitter_typescript", "language_typescript", _TYPESCRIPT)),
    "tsx": ("tree_sitter_typescript", "language_tsx", _TYPESCRIPT),
    "go": ("tree_sitter_go", "language", _GO),
    "rs": ("tree_sitter_rust", "language", _RUST),
    "java": ("tree_sitter_java", "language", _JAVA),
}
PARSED = frozenset(_GRAMMARS)
_IMPORTANCE = (
    "class",
    "interface",
    "trait",
    "struct",
    "enum",
    "type",
    "function",
    "macro",
    "method",
    "constant",
    "module",
)


@dataclass(slots=True)
class Symbols:
    names: list[tuple[str, str]] = field(
        default_factory=list
    )  # (name, kind), weightiest kinds first, then as written
    imports: list[str] = field(default_factory=list)
    cut: bool = False


@cache
def _grammar(wheel: str, function: str, query: str) -> tuple[Language, Query]:
    from tree_sitter import Language, Query

    language = Language(getattr(import_module(wheel), function)())
    return language, Query(language, query)


def parse(text: str, extension: str, *, late: Callable[[], bool]) -> Symbols | None:
    """None when the language has no grammar here, or the text is generated, or the time is up."""
    if extension not in _GRAMMARS or len(max(text.split("\n"), key=len, default="")) > _MAX_LINE:
        return None
    from tree_sitter import Parser, QueryCursor

    language, query = _grammar(*_GRAMMARS[extension])
    data = text.encode("utf-8", "replace")
    try:
        # Given as a callback so that parsing can be stopped between two steps; a plain buffer cannot.
        tree = Parser(language).parse(
            lambda at, _point: data[at : at + 65_536],
            encoding="utf8",
            progress_callback=lambda _at, _error: late(),
        )
    except ValueError:  # how the library says that it was stopped
        return None
    captures = QueryCursor(query, match_limit=10_000).captures(tree.root_node)
    return _collect(captures)


def _collect(captures: dict[str, list[Json]]) -> Symbols:
    found = Symbols()
    for kind in _IMPORTANCE:
        for node in sorted(captures.get(kind, ()), key=lambda n: n.start_byte):
            found.names.append((_text(node), kind))
    found.names = list(dict.fromkeys(found.names))
    found.cut = len(found.names) > MAX_SYMBOLS
    found.names = found.names[:MAX_SYMBOLS]
    imports = [_text(node).strip("\"'`") for node in captures.get("import", ())]
    for node in captures.get("from", ()):
        imports.extend(_from_import(node))
    found.imports = list(dict.fromkeys(name for name in imports if name))
    return found


def _from_import(node: Node) -> list[str]:
    """`from a import b` may mean the module a.b or a name in a: both are given, the reader knows which file exists."""
    module = node.child_by_field_name("module_name")
    if module is None:
        return []
    base = _text(module)
    separator = "" if base.endswith(".") else "."
    names = []
    for item in node.children_by_field_name("name"):
        inner = item.child_by_field_name("name") if item.type == "aliased_import" else item
        names.append(f"{base}{separator}{_text(inner or item)}")
    return [base, *names]


def _text(node: Node) -> str:
    return (node.text or b"").decode("utf-8", "replace")[:200]
