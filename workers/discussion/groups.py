"""Which perspectives of a round are asked in one call.

A call reads the whole material, so several perspectives of one agent cost little more than one. Asked together they are less
independent of each other, which matters the more the longer the artifact is. So by default only small artifacts are read by
one call for several perspectives, and only by perspectives that would ask the same agent anyway (docs/domain.md, section 8).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from functools import cache
from typing import Literal

from pydantic import BaseModel, create_model

from orchestrator.domain.dataclass import dataclass
from orchestrator.domain.shared_calls import apart, joined
from workers.agents.protocol import Agent, is_metered
from workers.documents.content import Content, Critique

Critics = Literal["auto", "separate", "merged"]
SMALL = 20_000  # characters of an artifact that one call may read for several perspectives


@dataclass(frozen=True, slots=True)
class Group:
    """The perspectives of one call, and who is asked, in order."""

    views: tuple[str, ...]
    agents: tuple[Agent, ...]

    @property
    def name(self) -> str:
        return joined(self.views)


def grouped(
    orders: Mapping[str, Sequence[Agent]],
    critics: Critics,
    artifact_chars: int,
    unable: Collection[str] = (),
) -> list[Group]:
    """The calls of a round. `orders`: by perspective the agents that can speak for it, the first choice first.

    Who would be answered by rules is asked alone: that costs nothing. So is who would be answered by an agent of `unable`,
    which gave no usable answer for several before.
    """
    firsts = {view: agents[0] for view, agents in orders.items() if agents}
    paid = [view for view, first in firsts.items() if is_metered(first) and first.name not in unable]
    if critics == "merged":
        together = [paid]
    elif critics == "auto" and artifact_chars <= SMALL:
        names = dict.fromkeys(firsts[view].name for view in paid)
        together = [[view for view in paid if firsts[view].name == name] for name in names]
    else:
        together = []
    return _with_the_rest(orders, [views for views in together if len(views) > 1])


def as_recorded(orders: Mapping[str, Sequence[Agent]], recorded: Collection[str]) -> list[Group]:
    """The calls of a round that is replayed: those that were recorded for several perspectives, each other one alone."""
    together = [views for name in recorded if len(views := apart(name)) > 1]
    left, fitting = set(orders), []
    for views in sorted(together, key=len, reverse=True):
        if set(views) <= left:
            fitting.append(views)
            left -= set(views)
    return _with_the_rest(orders, fitting)


def _with_the_rest(orders: Mapping[str, Sequence[Agent]], together: Sequence[Sequence[str]]) -> list[Group]:
    joined = {view for views in together for view in views}
    alone = [Group((view,), tuple(agents)) for view, agents in orders.items() if view not in joined]
    return [*(Group(tuple(views), _chain(orders, views)) for views in together), *alone]


def _chain(orders: Mapping[str, Sequence[Agent]], views: Sequence[str]) -> tuple[Agent, ...]:
    """Who speaks for each of them, the first choice for most first; not the rules, which read one perspective at a time.

    Where nobody speaks for each, it is the first choice for most alone.
    """
    firsts = Counter(orders[view][0].name for view in views if orders[view])
    known = {agent.name: agent for view in views for agent in orders[view] if is_metered(agent)}
    wanted = [name for name, _ in firsts.most_common() if name in known]
    for_each = [
        name for name in known if all(name in {agent.name for agent in orders[view]} for view in views)
    ]
    first = [name for name in wanted if name in for_each] or wanted
    return tuple(known[name] for name in dict.fromkeys([*first[:1], *for_each]))


@cache
def schema_of(views: tuple[str, ...]) -> type[BaseModel]:
    """The answer for several perspectives: a critique under the name of each. One that is missing is asked for alone."""
    fields: dict[str, object] = dict.fromkeys(views, (Critique | None, None))
    made: type[BaseModel] = create_model("Critiques", __base__=Content, **fields)  # type: ignore[call-overload]
    made.model_config["json_schema_extra"] = {"required": list(views)}  # all are wanted, whatever is taken
    made.model_rebuild(force=True)
    return made
