"""Who is asked, in which order, and what is said of those who cannot be."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import pytest

from orchestrator.config import load_pack, load_settings
from orchestrator.domain.errors import UnknownName
from orchestrator.domain.pipelines import Gates, Pack, Perspective, Role
from orchestrator.views.layout import Plan
from orchestrator.views.plan import agents_of
from tests import factories as make
from workers.agents.routing import Router, build_router, describe
from workers.builtin import BuiltinAgent

PACK = Pack(
    roles={"writer": Role("writer", "pipeline", installed=True, agents=("claude", "gemini", "builtin"))},
    perspectives={"risk": Perspective("risk", "Risk Analyst", ("risks",), ("gemini", "codex", "builtin"))},
    rounds={},
    pipelines={},
    gates=Gates(weights={}),
)


@dataclass
class Agent:
    name: str
    fault: str | None = None

    def available(self) -> str | None:
        return self.fault

    def ask(self, request: Any) -> Any:
        raise AssertionError

    work = ask


def router(*agents: Agent, **orders: Any) -> Router:
    return Router({agent.name: agent for agent in (*agents, Agent("builtin"))}, **orders)


def names(agents: list[Any]) -> list[str]:
    return [agent.name for agent in agents]


def test_without_any_agent_everything_goes_to_the_built_in_one_and_says_why() -> None:
    notes: list[str] = []

    found = router().for_role(PACK, "writer", notes.append)

    assert names(found) == ["builtin"]
    assert notes == ["claude: no such agent is configured", "gemini: no such agent is configured"]


def test_users_own_agent_comes_after_the_named_ones_and_before_the_built_in_one() -> None:
    routes = router(Agent("claude"), Agent("mine"), Agent("codex", "codex: not installed"), own=["mine"])

    assert names(routes.for_role(PACK, "writer")) == ["claude", "mine", "builtin"]
    assert names(routes.for_perspective(PACK, "risk")) == ["mine", "builtin"]


@pytest.mark.parametrize(
    ("order", "asks"),
    [
        (("claude",), ["claude", "mine"]),
        (("builtin", "claude"), ["mine", "builtin", "claude"]),
        (("claude", "mine", "builtin"), ["claude", "mine", "builtin"]),
    ],
)
def test_the_built_in_agent_stands_where_a_packs_order_puts_it(
    order: tuple[str, ...], asks: list[str]
) -> None:
    pack = replace(PACK, roles={"writer": replace(PACK.roles["writer"], agents=order)})

    routes = router(Agent("claude"), Agent("mine"), own=["mine"])

    assert names(routes.for_role(pack, "writer")) == asks


def test_a_perspective_always_ends_with_the_built_in_agent() -> None:
    routes = router(Agent("claude"), perspectives={"risk": ["claude"]})

    assert names(routes.for_perspective(PACK, "risk")) == ["claude", "builtin"]
    assert {view.agents[-1] for view in load_pack(None, {}).perspectives.values()} == {"builtin"}


def test_order_of_the_user_goes_before_the_packs() -> None:
    agents = (Agent("claude"), Agent("mine"))
    routes = router(*agents, own=["mine"], roles={"writer": ["mine"]}, perspectives={"risk": ["claude"]})

    assert names(routes.for_role(PACK, "writer")) == ["mine"]
    assert names(routes.for_perspective(PACK, "risk")) == ["claude", "builtin"]


DYNAMIC = make.make_plan("Research caching options and write a report", mode="dynamic")


def test_roles_that_dynamic_mode_generates_have_one_order_between_them() -> None:
    routes = router(Agent("claude"), Agent("mine"), own=["mine"], roles={"dynamic": ["mine"]})

    generated = {task.role for task in DYNAMIC.pipeline.tasks}

    assert "dynamic" not in generated
    assert all(names(routes.for_role(DYNAMIC.pack, name)) == ["mine"] for name in generated)


@pytest.mark.parametrize(
    ("made", "role", "set_for"),
    [
        (DYNAMIC, "researcher", "dynamic"),
        (make.make_plan("How are errors handled", mode="analyze"), "discussant", "explorer"),
        (make.make_plan("Build a shop", discuss="standalone"), "discussant", None),
    ],
)
def test_the_plan_names_the_agents_whom_the_worker_host_asks(
    made: Plan, role: str, set_for: str | None
) -> None:
    orders = {set_for: ["mine"]} if set_for else {}
    given = load_settings(None, {}, {"agents": {"mine": {"command": ["cat"]}}, "roles": orders})

    assert agents_of(made, given).get(role) == (["mine"] if set_for else None)


def test_unusable_agent_is_skipped_with_its_reason_told_to_both_listeners() -> None:
    logged: list[str] = []
    noted: list[str] = []
    routes = router(Agent("claude", "claude: not logged in"), note=logged.append)

    routes.for_role(PACK, "writer", noted.append)

    assert "claude: not logged in" in noted
    assert logged == noted


def test_perspectives_of_one_discussion_look_for_each_agent_once() -> None:
    looked: list[str] = []

    class Looked(Agent):
        def available(self) -> str | None:
            looked.append(self.name)
            return super().available()

    views = {name: replace(PACK.perspectives["risk"], name=name) for name in ("risk", "product")}
    pack = replace(PACK, perspectives=views)
    routes = router(Looked("gemini", "gemini: not logged in"), Looked("mine"), own=["mine"])
    faults: dict[str, str | None] = {}

    found = [names(routes.for_perspective(pack, name, faults=faults)) for name in views]

    assert found == [["mine", "builtin"], ["mine", "builtin"]]
    assert sorted(looked) == ["gemini", "mine"]


def test_unknown_role_or_perspective_lists_the_known_ones() -> None:
    with pytest.raises(UnknownName, match="painter") as role:
        router().for_role(PACK, "painter")
    with pytest.raises(UnknownName, match="taste"):
        router().for_perspective(PACK, "taste")

    assert "writer" in role.value.why


def test_router_is_built_from_settings_and_describes_itself() -> None:
    settings = load_settings(
        None, {}, {"agents": {"mine": {"command": ["no-such-program"]}}, "agents_off": ["codex"]}
    )

    described = describe(
        build_router(settings, {"PATH": "/nowhere"}, lambda _: None, builtin=BuiltinAgent()), PACK
    )

    assert [(row["name"], row["usable"]) for row in described["agents"]] == [
        ("builtin", True),
        ("claude", False),
        ("gemini", False),
        ("qwen", False),
        ("opencode", False),
        ("mine", False),
    ]
    assert described["roles"] == {"writer": ["builtin"]}
    assert described["perspectives"] == {"risk": ["builtin"]}


def test_agents_of_one_pool_share_an_account_and_others_have_their_own() -> None:
    settings = load_settings(
        None,
        {},
        {
            "agents": {
                "opus": {"kind": "claude", "account": "work"},
                "quick": {"kind": "claude"},
                "mine": {"command": ["m"]},
            }
        },
    )

    found = build_router(settings, {}, lambda _: None, builtin=BuiltinAgent())

    names = ("opus", "quick", "claude", "codex", "mine", "never configured")
    assert [found.account(name) for name in names] == [
        "work",
        "claude",
        "claude",
        "codex",
        "mine",
        "never configured",
    ]
