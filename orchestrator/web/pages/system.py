"""What a project runs on: its coordinator, limits of accounts, the installation, and the settings without secrets."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Annotated, Literal

from pydantic import Field
from starlette.responses import Response

from orchestrator.domain.dataclass import asdict, fields
from orchestrator.domain.errors import ConfigError, LifecycleError
from orchestrator.domain.json_types import Json, JsonObject
from orchestrator.domain.secrets import known, mask_all
from orchestrator.project import read_settings
from orchestrator.store.store import Tx
from orchestrator.views.daemon import daemon_view
from orchestrator.views.doctor import examine_quickly
from orchestrator.views.examination import Check
from orchestrator.views.limits import limit_views
from orchestrator.web.json_answer import JsonAnswer
from orchestrator.web.rendering import render
from orchestrator.web.served import ServedProject
from orchestrator.web.web_request import PageQuery, WebRequest


class SystemPage(PageQuery):
    examine: Annotated[
        Literal["yes"] | None, Field(description="Examine everything that `doctor` does; takes some seconds.")
    ] = None


def page(request: WebRequest) -> Response:
    served, asked = request.project, request.query
    is_whole, is_part = asked.examine == "yes", asked.part is not None
    checks: Sequence[Check] = ()
    if not is_part:  # what follows the events shows none of them
        checks = request.site.examined.of(served) if is_whole else examine_quickly(served.project)
    return render(
        request,
        "system.html",
        live="system_live.html",
        title=request.language.text("System of {0}", served.title),
        state=_state(served),
        checks=_checks(checks),
        is_whole=is_whole,
        settings=() if is_part else _settings(served),
    )


def everywhere(request: WebRequest) -> Response:
    """Of every project; one that cannot be read says why."""
    found = []
    for served in request.site.projects:
        shown: JsonObject = {"project": served.slug, "title": served.title, "error": None}
        try:
            shown |= _state(served)
        except LifecycleError as error:
            shown["error"] = {"what": error.what, "why": error.why, "fix": error.fix}
        shown["checks"] = _checks(examine_quickly(served.project))
        found.append(shown)
    return JsonAnswer({"projects": found})


def _state(served: ServedProject) -> JsonObject:
    if served.file() is None:
        return {"daemon": None, "limits": []}

    def unit(tx: Tx) -> JsonObject:
        return {"daemon": daemon_view(tx), "limits": limit_views(tx)}

    return served.read(unit)


def _checks(found: Sequence[Check]) -> list[JsonObject]:
    shown = [{"check": each.name, "state": each.state, "says": each.says, "fix": each.fix} for each in found]
    masked: list[JsonObject] = mask_all(shown, known(os.environ))
    return masked


def _settings(served: ServedProject) -> list[tuple[str, Json, str, bool]] | None:
    """Name, value, meaning, and whether it is not the default; None when the configuration has an error."""
    try:
        settings = read_settings(served.project)
    except ConfigError:
        return None
    standard = asdict(type(settings)())
    held, values = known(os.environ), asdict(settings)
    rows = [(each.name, values[each.name], each.metadata["doc"]) for each in fields(settings)]
    return [
        (
            name,
            mask_all(without_secrets(value), held),
            meaning,
            value != standard[name],
        )
        for name, value, meaning in rows
    ]


def without_secrets(value: Json, name: str = "") -> Json:
    """A setting without what may hold a secret in any form: arguments of programs, and paths of addresses."""
    if isinstance(value, Mapping):
        return {key: without_secrets(inner, key) for key, inner in value.items()}
    if name == "command" and value:
        return [value[0], *(["..."] if len(value) > 1 else [])]
    if name in ("webhook", "base_url") and value:
        scheme, _, rest = value.partition("://")
        place = rest.split("/")[0].split("?")[0]
        return f"{scheme}://{place.rpartition('@')[2]}" + ("/..." if len(rest) > len(place) else "")
    return value
