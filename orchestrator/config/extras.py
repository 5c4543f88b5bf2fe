"""Parts that are installed only when asked for: whether they are there, found out without loading them."""

from __future__ import annotations

from importlib.util import find_spec

BROWSER_INSTALL = 'pip install "team-lifecycle[browser]"'
MCP_INSTALL = 'pip install "team-lifecycle[mcp]"'
METRICS_INSTALL = 'pip install "team-lifecycle[metrics]"'
SERVER_INSTALL = 'pip install "team-lifecycle[server]"'
TEMPORAL_INSTALL = 'pip install "team-lifecycle[temporal]"'
TRACES_INSTALL = 'pip install "team-lifecycle[traces]"'
WEB_INSTALL = 'pip install "team-lifecycle[web]"'


def has_mcp() -> bool:
    return all(find_spec(module) is not None for module in ("mcp", "uvicorn"))


def has_web() -> bool:
    return all(find_spec(module) is not None for module in ("starlette", "uvicorn", "nh3"))


def has_server() -> bool:
    return all(find_spec(module) is not None for module in ("starlette", "uvicorn"))


def has_metrics() -> bool:
    return find_spec("prometheus_client") is not None


def has_postgres() -> bool:
    return find_spec("psycopg") is not None


def has_temporal() -> bool:
    return find_spec("temporalio") is not None


def has_traces() -> bool:
    """`opentelemetry` itself is a folder that other libraries share."""
    wanted = ("opentelemetry", "opentelemetry.sdk", "opentelemetry.exporter.otlp.proto.http")
    try:
        return all(find_spec(module) is not None for module in wanted)
    except ModuleNotFoundError:
        return False
