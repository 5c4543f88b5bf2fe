"""Settings that are evidently right are made without pydantic, and are the same."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError

from orchestrator.config import plain_settings
from orchestrator.config.settings import Settings

CHECKED: TypeAdapter[Settings] = TypeAdapter(Settings)
WORDS = st.sampled_from(
    [
        "",
        "a",
        "mine",
        "claude",
        "api",
        "wal",
        "off",
        "8",
        "high",
        "x" * 201,
        "MY_KEY",
        "http://h:1/",
        "https://a@b",
    ]
)
NUMBERS = st.sampled_from([0, 1, -1, 256, 257, 2**70, 7 * 24 * 3600, 1.0, 0.5, float("inf"), float("nan")])
VALUES = st.recursive(
    st.none() | st.booleans() | NUMBERS | WORDS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS, inner, max_size=2),
    max_leaves=4,
)


def _tables(kind: Any) -> st.SearchStrategy[dict[str, Any]]:
    from dataclasses import fields

    return st.dictionaries(
        st.sampled_from([*(each.name for each in fields(kind)), "nearly"]), VALUES, max_size=3
    )


def _settings() -> st.SearchStrategy[dict[str, Any]]:
    from orchestrator.config import settings as parts

    agents = st.dictionaries(WORDS, _tables(parts.AgentSettings) | VALUES, max_size=2)
    prices = st.dictionaries(WORDS, _tables(parts.PriceSettings), max_size=2)
    return st.fixed_dictionaries(
        {},
        optional={
            "agents": agents,
            "prices": prices,
            "agent_limits": _tables(parts.AgentLimits),
            "budget": _tables(parts.BudgetSettings),
            "work": _tables(parts.WorkSettings),
            "notify": _tables(parts.NotifySettings),
        },
    ) | _tables(Settings)


@given(_settings())
def test_what_is_made_without_pydantic_is_what_pydantic_makes(values: dict[str, Any]) -> None:
    made = plain_settings.made(Settings, values)

    if made is None:
        return
    try:
        assert made == CHECKED.validate_python(values)
        assert repr(made) == repr(CHECKED.validate_python(values))  # 1 is not 1.0
    except ValidationError as error:
        pytest.fail(f"{values}: {error}")


ORDINARY = [
    {"slots": 8, "lease_seconds": 20, "backoff_seconds": [1, 2.5], "discuss": "off", "approve_plan": True},
    {
        "agents": {
            "mine": {"command": ["a"], "env": ["MY_KEY"], "limits": {"turn": 3}},
            "claude": {"model": "opus"},
        }
    },
    {"agents": {"local": {"kind": "api", "model": "openai:x", "base_url": "http://127.0.0.1:1/v1"}}},
    {"budget": {"max_usd": 5, "task": {"max_turns": 3}, "code": {"max_minutes": 1.5}}},
    {"prices": {"m": {"input": 1, "output": 2.5, "date": "2026-01-01"}}, "roles": {"writer": ["mine"]}},
    {"notify": {"on": ["failed"], "webhook": "https://example.org/hook", "desktop": True}},
    {"work": {"test_command": ["make", "test"], "required": True}, "agents_off": ["codex"]},
]


@pytest.mark.parametrize("values", ORDINARY)
def test_ordinary_settings_need_no_pydantic(values: dict[str, Any]) -> None:
    made = plain_settings.made(Settings, values)

    assert made is not None
    assert made == CHECKED.validate_python(values)


@pytest.mark.parametrize(
    "values",
    [
        {"slots": "8"},
        {"slots": 0},
        {"slot": 8},
        {"slots": True},
        {"agents": []},
        {"prices": {"m": {"input": 1}}},
    ],
)
def test_what_is_to_be_converted_or_refused_is_left_to_pydantic(values: dict[str, Any]) -> None:
    assert plain_settings.made(Settings, values) is None
