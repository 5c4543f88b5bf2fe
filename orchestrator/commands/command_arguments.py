"""The arguments of the commands that start and change sessions, for every interface that takes them as data.

What is refused here is refused before anything is opened. A schema made of a model is what a client is shown.
"""

from __future__ import annotations

from typing import Annotated, Literal, cast

from pydantic import BaseModel, ConfigDict, Field, create_model

Name = Annotated[str, Field(max_length=200)]
Text = Annotated[str, Field(max_length=200_000)]  # each use has its own, tighter limit, which says why
InProject = Annotated[str, Field(min_length=1, max_length=1_000)]  # a path
Key = Annotated[str, Field(min_length=1, max_length=200)]  # as domain/command_keys.py checks it
_CAP = "The session pauses at this number of {}; at most the cap in the settings."
Session = Annotated[
    Name | None,
    Field(description="The session's id or its first letters; default the unfinished or newest one."),
]


class Arguments(BaseModel):
    """Arguments of a tool; a misspelt one is refused, as the command could otherwise reach another session."""

    model_config = ConfigDict(extra="forbid", populate_by_name=False, defer_build=True)

    def given(self) -> set[str]:
        """The names of the arguments that were given, as the caller spells them."""
        fields = type(self).model_fields
        return {
            fields[name].alias or name for name in self.model_fields_set if getattr(self, name) is not None
        }


class SessionStart(Arguments):
    task: Annotated[
        str | None,
        Field(description="What to do, in words, at most 1 MiB; never a file name. Mode review needs none."),
    ] = None
    mode: Annotated[
        Name | None, Field(description="The pipeline; by default it is chosen, and the answer explains why.")
    ] = None
    discuss: Annotated[
        Literal["inline", "standalone", "off"] | None, Field(description="How artifacts are discussed.")
    ] = None
    critics: Annotated[
        Literal["auto", "separate", "merged"] | None,
        Field(description="Which perspectives of a discussion share a call to an agent."),
    ] = None
    execution: Annotated[
        Literal["parallel", "sequential"] | None, Field(description="All ready tasks, or one at a time.")
    ] = None
    supervise: Annotated[
        bool, Field(description="Check the documents against each other; not available yet.")
    ] = False
    approve_plan: Annotated[
        bool | None, Field(description="Pause for a person before the plan becomes tasks.")
    ] = None
    fix: Annotated[
        Literal["critical", "high"] | None,
        Field(description="From which severity on the review's findings make a fix round."),
    ] = None
    base: Annotated[Name | None, Field(description="Mode review: the commit to compare with.")] = None
    head: Annotated[Name | None, Field(description="Mode review: the commit to review; default HEAD.")] = None
    diff: Annotated[
        InProject | None, Field(description="Mode review: a patch in the project, on HEAD, to review.")
    ] = None
    include_dirty: Annotated[
        bool, Field(description="Build on, or review, what is not committed as well.")
    ] = False
    perspectives: Annotated[
        list[Name],
        Field(max_length=50, description="The perspectives of every discussion, instead of its own."),
    ] = []
    spec: Annotated[
        InProject | None,
        Field(
            description="An existing specification in the project: a session's spec folder, or a Markdown file."
        ),
    ] = None
    source: Annotated[
        Name | None,
        Field(
            alias="from", description="A session of the project whose wisdom and decisions are taken over."
        ),
    ] = None
    record: Annotated[
        InProject | None,
        Field(description="A new folder in the project, to record every agent call."),
    ] = None
    replay: Annotated[
        InProject | None, Field(description="A recorded folder: its answers are used instead of agents.")
    ] = None
    max_usd: Annotated[
        float | None, Field(gt=0, allow_inf_nan=False, description=_CAP.format("US dollars"))
    ] = None
    max_tokens: Annotated[int | None, Field(gt=0, description=_CAP.format("tokens"))] = None
    max_turns: Annotated[int | None, Field(gt=0, description=_CAP.format("turns of agents"))] = None
    max_minutes: Annotated[
        float | None, Field(gt=0, allow_inf_nan=False, description=_CAP.format("minutes of agents"))
    ] = None
    key: Annotated[
        str | None, Field(description="Idempotency key: the same key twice makes one session.")
    ] = None
    plan: Annotated[bool, Field(description="Return the plan, and change nothing.")] = False
    as_it_is: Annotated[
        bool,
        Field(
            description="Mode dynamic: a request that says too little is one general task. A mode that needs a "
            "specification: take the newest one, whatever the task is about."
        ),
    ] = False
    file: Annotated[
        InProject | None,
        Field(description="A text file in the project to discuss, instead of a task and a mode."),
    ] = None
    agent: Annotated[Name | None, Field(description="With file: whom every perspective asks first.")] = None


class SessionFork(Arguments):
    session: Annotated[Name, Field(description="The session to fork: its id or first letters.")]
    at: Annotated[Name, Field(description="The completed task behind which the fork begins.")]
    agent: Annotated[Name | None, Field(description="The agent to ask first for the work of every role.")] = (
        None
    )
    mode: Annotated[
        Name | None, Field(description="Another pipeline that begins with what is completed.")
    ] = None
    key: Annotated[
        str | None, Field(description="Idempotency key: the same key twice makes one session.")
    ] = None
    again: Annotated[bool, Field(description="Make another fork, although the same was asked before.")] = (
        False
    )
    max_usd: Annotated[
        float | None, Field(gt=0, allow_inf_nan=False, description=_CAP.format("US dollars"))
    ] = None
    max_tokens: Annotated[int | None, Field(gt=0, description=_CAP.format("tokens"))] = None
    max_turns: Annotated[int | None, Field(gt=0, description=_CAP.format("turns of agents"))] = None
    max_minutes: Annotated[
        float | None, Field(gt=0, allow_inf_nan=False, description=_CAP.format("minutes of agents"))
    ] = None
    plan: Annotated[bool, Field(description="Return what would be taken over, and change nothing.")] = False


class SessionCompare(Arguments):
    a: Annotated[Name, Field(description="A session: its id or first letters.")]
    b: Annotated[Name, Field(description="Another session.")]
    diff: Annotated[bool, Field(description="With what differs in documents and code, from a to b.")] = False


class SessionCommand(Arguments):
    """A command by its name; which arguments it takes is in `by_name.COMMANDS`."""

    command: Literal[
        "resume",
        "revise",
        "feedback",
        "recheck",
        "improve",
        "advise",
        "rebase",
        "pause",
        "cancel",
        "archive",
        "repair",
    ]
    session: Session = None
    task: Annotated[
        Name | None,
        Field(
            description="revise: a completed task. feedback: the document it is about. advise: the task it follows."
        ),
    ] = None
    text: Annotated[
        Text | None,
        Field(description="revise: what to change. feedback: the feedback. advise: the question."),
    ] = None
    mode: Annotated[
        Name | None,
        Field(description="advise: spec, plan, code, consult or feasibility; default by the question."),
    ] = None
    dimension: Annotated[Name | None, Field(description="improve: default the lowest-scoring one.")] = None
    force: Annotated[
        bool | None,
        Field(description="resume: despite a failed gate. revise, feedback: more than two revisions."),
    ] = None
    retry: Annotated[Name | None, Field(description="resume: retry this failed task.")] = None
    agent: Annotated[Name | None, Field(description="resume: with retry, the agent to ask first.")] = None
    skip: Annotated[Name | None, Field(description="resume: continue without this task.")] = None
    decide: Annotated[Text | None, Field(description="resume: the decision on a blocked discussion.")] = None
    expect: Annotated[
        Name | None,
        Field(
            description="resume: answer exactly the pause that session_status shows with this token (pause.token)."
        ),
    ] = None
    words: Annotated[Text | None, Field(description="resume, pause, cancel: recorded with the decision.")] = (
        None
    )
    restore: Annotated[bool | None, Field(description="archive: show the session again.")] = None
    key: Annotated[
        Key | None,
        Field(description="Idempotency key: the same key twice applies the command once, with one answer."),
    ] = None


class PersonCommand(SessionCommand):
    """A command from a person's own hand, who may also change the budget."""

    max_usd: Annotated[
        float | None, Field(gt=0, allow_inf_nan=False, description="resume: a new cap in US dollars.")
    ] = None
    max_tokens: Annotated[int | None, Field(gt=0, description="resume: a new cap in tokens.")] = None
    max_turns: Annotated[int | None, Field(gt=0, description="resume: a new cap in turns of agents.")] = None
    max_minutes: Annotated[
        float | None, Field(gt=0, allow_inf_nan=False, description="resume: a new cap in minutes of agents.")
    ] = None


def without(model: type[Arguments], *names: str) -> type[BaseModel]:
    """The same arguments but these, for an interface that has them from elsewhere."""
    fields = {name: (info.annotation, info) for name, info in model.model_fields.items() if name not in names}
    made = create_model(f"Of{model.__name__}", __base__=Arguments, **fields)  # type: ignore[call-overload]
    return cast(type[BaseModel], made)
