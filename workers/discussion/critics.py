"""Asking for the critiques of one call: one perspective, or several that are answered together."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence

from orchestrator.domain.dataclass import dataclass
from orchestrator.domain.errors import AgentError, AgentRubbish
from orchestrator.domain.pipelines import Round
from workers.agents import prompts
from workers.agents.findings import not_friendlier
from workers.agents.pointing import Places
from workers.agents.prompts import Material
from workers.agents.protocol import Agent
from workers.context.agent_calls import AgentCalls, Failure
from workers.discussion.groups import Group, schema_of
from workers.documents.content import Critique

WHY_LIMIT = 300  # characters of why an agent gave no answer


@dataclass(frozen=True, slots=True)
class Answer:
    """One perspective's critique, and who gave it."""

    critique: Critique
    agent: str
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Alone:
    """A perspective that a call for several did not answer: it is asked by itself, and whom."""

    agents: Sequence[Agent]
    failures: Sequence[Failure] = ()  # of the call before


Given = dict[str, Answer | Alone | AgentError]  # by perspective


@dataclass(frozen=True)
class Asking:
    """What all calls of a round have in common."""

    calls: AgentCalls
    around: Round
    known: Mapping[str, object]
    material: Material  # the artifact's piece is one of it
    artifact: tuple[str, str]  # its title and text, as critics read it
    over: threading.Event  # stops what still thinks

    def ask(
        self, group: Group, orders: Mapping[str, Sequence[Agent]], before: Sequence[Failure] = ()
    ) -> Given:
        """What one call gives for each perspective of a group; `orders`: who speaks for each, `before`: failures of an
        earlier call for them. Whoever it does not answer is to be asked alone."""
        if len(group.views) == 1:
            return {group.name: self._alone(group.name, group.agents, before)}
        failures: list[Failure] = []
        try:
            answers = self._together(group, failures)
        except AgentError as error:
            if self.over.is_set():
                raise
            # One that answers, but not for several, is asked for each; else whoever was asked had their chance.
            had = set() if isinstance(error, AgentRubbish) else {agent.name for agent in group.agents}
            left = {view: [agent for agent in orders[view] if agent.name not in had] for view in group.views}
            return {view: Alone(agents, failures) for view, agents in left.items()}
        return {view: answers.get(view) or Alone(orders[view]) for view in group.views}

    def _together(self, group: Group, failures: list[Failure]) -> dict[str, Answer]:
        """The critiques of one call for several; a perspective that it left out is missing. Raises AgentError."""
        schema = schema_of(group.views)
        given, reply = self.calls.ask(
            "critique",
            self._prompt(group.views),
            schema,
            self.known,
            group.agents,
            perspective=group.name,
            places=self._places(prompts.render_places(self.artifact, **self._form, schema=schema)),
            stop=self.over,
            failures=failures,
        )
        answers = {}
        for view in group.views:
            critique = getattr(given, view)
            if isinstance(critique, Critique):
                critique, notes = _with_failures(view, critique, failures)
                answers[view] = Answer(critique, reply.agent, (*notes, *reply.notes))
        return answers

    def _alone(self, view: str, agents: Sequence[Agent], before: Sequence[Failure]) -> Answer | AgentError:
        perspective = self.calls.run.pack.perspectives[view]
        named = {"name": view, "label": perspective.label, "focus": list(perspective.focus)}
        failures = list(before)
        try:
            critique, reply = self.calls.ask(
                "critique",
                self._prompt((view,)),
                Critique,
                {**self.known, "perspective": named},
                agents,
                perspective=view,
                places=self._places(prompts.render_places(self.artifact, **self._form, schema=Critique)),
                stop=self.over,
                failures=failures,
            )
        except AgentError as error:
            return error
        critique, notes = _with_failures(view, critique, failures)
        return Answer(critique, reply.agent, (*notes, *reply.notes))

    @property
    def _form(self) -> dict[str, str]:
        return {"language": self.calls.run.session.language}

    def _places(self, prompt: str) -> Places:
        return Places(self.artifact[1], prompt)

    def _prompt(self, views: Sequence[str]) -> prompts.Prompt:
        context = self.calls.run
        return prompts.render_critique(
            [context.pack.perspectives[view] for view in views],
            self.around,
            instructions=context.critic_instructions,
            language=context.session.language,
            schema=Critique if len(views) == 1 else schema_of(tuple(views)),
            shared=self.material,
        )


def _with_failures(view: str, critique: Critique, failures: Sequence[Failure]) -> tuple[Critique, list[str]]:
    """The critique with what could be read of the answers before it, and the notes about them."""
    notes = []
    for failed in failures:
        notes.append(failed.what if not failed.why else f"{failed.what}: {failed.why[:WHY_LIMIT]}")
        readable = getattr(failed.readable, view, failed.readable)
        if isinstance(readable, Critique):
            critique = not_friendlier(critique, readable)
            notes.append("that answer was partly unreadable: what it found is kept")
    return critique, notes
