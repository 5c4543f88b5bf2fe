"""Types of JSON: what a value is, is known only to who reads it. Elsewhere nothing is typed `Any`."""

from __future__ import annotations

from typing import Any, TypeAlias

Json: TypeAlias = Any
JsonObject: TypeAlias = dict[str, Any]
