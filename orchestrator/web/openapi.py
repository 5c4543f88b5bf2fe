"""The OpenAPI document, made from the routes table."""

from __future__ import annotations

from collections.abc import Iterable

from orchestrator import __version__
from orchestrator.domain.json_types import JsonObject
from orchestrator.domain.patterns import expression
from orchestrator.web.route import Route

_NAME = expression(r"\{(\w+)(?::path)?\}")
REFS = "#/components/schemas/{model}"


def document(routes: Iterable[Route]) -> JsonObject:
    """OpenAPI 3.1 of the routes below /api/."""
    paths: dict[str, JsonObject] = {}
    schemas: JsonObject = {"Problem": _PROBLEM}
    for route in routes:
        if route.is_api:
            paths.setdefault(_NAME.sub(r"{\1}", route.path), {})[route.method.lower()] = _operation(
                route, schemas
            )
    return {
        "openapi": "3.1.0",
        "info": {"title": "Team Lifecycle", "version": __version__},
        "paths": paths,
        "components": {
            "schemas": schemas,
            "securitySchemes": {"bearer": {"type": "http", "scheme": "bearer"}},
        },
        "security": [{"bearer": []}],
    }


def _operation(route: Route, schemas: JsonObject) -> JsonObject:
    parameters = [
        {"name": name, "in": "path", "required": True, "schema": {"type": "string"}}
        for name in _NAME.findall(route.path)
    ]
    asked = route.query.model_json_schema(by_alias=True)
    parameters += [
        {"name": name, "in": "query", "required": name in asked.get("required", ()), "schema": schema}
        for name, schema in asked.get("properties", {}).items()
    ]
    kind = "text/event-stream" if route.stream else "application/json"
    found: JsonObject = {
        "summary": route.summary,
        "parameters": parameters,
        "responses": {
            "200": {"description": "What was asked for", "content": {kind: {}}},
            "default": {
                "description": "What is wrong, why, and what to do",
                "content": {"application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}},
            },
        },
    }
    if route.body is not None:
        schema = route.body.model_json_schema(by_alias=True, ref_template=REFS)
        schemas |= schema.pop("$defs", {})
        schemas[route.body.__name__] = schema
        ref = {"$ref": REFS.format(model=route.body.__name__)}
        found["requestBody"] = {"content": {"application/json": {"schema": ref}}}
    return found


_PROBLEM: JsonObject = {
    "type": "object",
    "required": ["type", "title", "detail", "fix", "status"],
    "properties": {
        "type": {"type": "string", "description": "urn:lifecycle:<class>"},
        "title": {"type": "string", "description": "What happened"},
        "detail": {"type": "string", "description": "Why"},
        "fix": {"type": "string", "description": "What to do"},
        "status": {"type": "integer"},
    },
}
