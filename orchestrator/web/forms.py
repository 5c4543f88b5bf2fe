"""Which commands a session's page offers as forms: those that would not be refused now, with their fields.

A form's key names what it is for: the session, how far it had come, who was asked, the command. Sent twice, it is applied
once; a form of a state that has passed is another command, and the session itself decides about it.
"""

from __future__ import annotations

import hashlib
import shlex
from collections.abc import Callable, Mapping

from orchestrator.domain.dataclass import dataclass, field, replace
from orchestrator.domain.json_types import Json
from orchestrator.store.rows import Session
from orchestrator.store.store import Tx
from orchestrator.views import next_steps
from orchestrator.web.web_request import WebRequest

ALWAYS = {"active": ("pause", "cancel"), "paused": ("cancel",)}
REWORK = ("revise", "feedback", "recheck", "improve")
ENDED = ("completed", "cancelled")
CAPS = ("max_usd", "max_tokens", "max_turns", "max_minutes")
_Key = Callable[..., str]
_Text = Callable[..., str]  # the translation of a text, with its values


@dataclass(frozen=True, slots=True)
class Form:
    """A command as a form; `fields` are names of fields that the template knows."""

    command: str
    says: str  # what its button does
    key: str  # empty where repeating it does no harm and leaves no message that would tell two apart
    fields: tuple[str, ...] = ()
    given: Mapping[str, str] = field(default_factory=dict)  # hidden fields
    asks: str = ""  # what to be sure of before: a box to tick
    primary: bool = False
    documents: Mapping[str, str] = field(default_factory=dict)  # task -> title, to choose from

    @property
    def name(self) -> str:
        """Its own name on the page."""
        return "-".join([self.command, *(each for each in self.given.values() if len(each) < 40)])


@dataclass(frozen=True, slots=True)
class Documents:
    """Task -> title of what the forms of a session are about; None without such a form."""

    feedback: Mapping[str, str] | None = None
    revise: Mapping[str, str] | None = None


def documents_for(request: WebRequest, tx: Tx, row: Session, session: Mapping[str, Json]) -> Documents:
    """What feedback and revisions can be about now."""
    if not request.may_decide:
        return Documents()
    if session["status"] == "active" and session["progress"]["total"] > next_steps.MANY:
        return Documents(feedback={})  # about the one that the words name
    possible = _possible(_commands(session))
    offered = "feedback" in possible or next_steps.takes_feedback(tx, row)
    return Documents(
        next_steps.feedback_documents(tx, row) if offered else None,
        next_steps.revisable(tx, row) if "revise" in possible else None,
    )


def forms(
    request: WebRequest, session: Mapping[str, Json], messages: int, documents: Documents
) -> list[Form]:
    """The forms for a session as `check` shows it, the suggested one first; `documents` as `documents_for` finds them."""

    def key(*parts: str) -> str:
        named = (str(session["session"]), str(messages), request.visitor.cookie, *parts)
        return f"web-{hashlib.sha256(chr(0).join(named).encode()).hexdigest()[:32]}"

    text = request.language.text
    pause = session["pause"]
    commands = _commands(session)
    found: list[Form] = []
    if pause:
        found += _answers(pause, commands, key, text)
    possible = _possible(commands) | ({"feedback"} if documents.feedback is not None else set())
    about = {"feedback": documents.feedback, "revise": documents.revise}
    found += [
        Form(name, text(_SAYS[name]), key(name), _FIELDS[name], documents=about.get(name) or {})
        for name in REWORK
        if name in possible
    ]
    found += [
        Form(
            name, text(_SAYS[name]), key(name), _FIELDS[name], asks=text(_ASKS[name]) if name in _ASKS else ""
        )
        for name in ALWAYS.get(str(session["status"]), ())
    ]
    if session["status"] in ENDED:
        shown = bool(session["archived"])
        given = {"restore": "true"} if shown else {}
        found.append(Form("archive", text("Show it again") if shown else text("Archive"), "", (), given))
    found.append(Form("repair", text(_SAYS["repair"]), ""))
    return found


def _commands(session: Mapping[str, Json]) -> list[str]:
    """The commands that lead on from where the session is."""
    pause = session["pause"]
    return [each["command"] for each in pause["actions"]] if pause else list(session["next"]["commands"])


def _possible(commands: list[str]) -> set[str]:
    """The names of commands as `lifecycle revise DRAFT-002`."""
    return {words[1] for each in commands if len(words := each.split(maxsplit=2)) > 1}


def _answers(pause: Mapping[str, Json], commands: list[str], key: _Key, text: _Text) -> list[Form]:
    """What answers the pause, from the commands that it lists."""
    token = token_of(pause)
    expect = {"expect": token} if token else {}
    found: list[Form] = []
    for command in commands:
        words = shlex.split(command)
        if words[:2] == ["lifecycle", "resume"]:
            options = _options(words[2:])
            given = dict(expect)
            given |= {name: options[name] for name in ("retry", "skip", "agent") if name in options}
            made = _answer(options, given, key(*words[2:], token), text)
            if made.fields == ("words",) and given == expect and pause["approval"] and "force" not in options:
                made = replace(made, says=text("Approve {0}", token.partition(".")[2]))
            found.append(made)
    return [replace(each, primary=number == 0 and not each.asks) for number, each in enumerate(found)]


def _answer(options: Mapping[str, str], given: Mapping[str, str], key: str, text: _Text) -> Form:
    """A `resume` with these options as a form."""
    if "force" in options:
        asks = text("The quality gate failed. Approve it all the same.")
        return Form(
            "resume", text("Approve despite the gate"), key, ("words",), {**given, "force": "true"}, asks
        )
    if "decide" in options:
        return Form("resume", text("Decide"), key, ("decide",), given)
    if "skip" in options:
        return Form("resume", text("Continue without {0}", options["skip"]), key, ("words",), given)
    if "retry" in options:
        if "agent" in options:
            says = text("Retry {0} with {1}", options["retry"], options["agent"])
        else:
            says = text("Retry {0}", options["retry"])
        return Form("resume", says, key, ("words",), given)
    if any(name.startswith("max-") for name in options):
        return Form("resume", text("Continue with these caps"), key, (*CAPS, "words"), given)
    return Form("resume", text("Continue"), key, ("words",), given)


def token_of(pause: Mapping[str, Json]) -> str:
    """The token that an answer to the pause has to show."""
    return str(pause["token"])


def _options(words: list[str]) -> dict[str, str]:
    """The options of a command, by name without dashes; one without a value has an empty one."""
    found: dict[str, str] = {}
    name = None
    for word in words:
        if word.startswith("--"):
            name = word[2:]
            found[name] = ""
        elif name is not None:
            found[name] = word
            name = None
    return found


_SAYS = {
    "revise": "Revise a document",
    "feedback": "Give feedback",
    "recheck": "Score it again",
    "improve": "Improve the weakest part",
    "pause": "Pause",
    "cancel": "Cancel the session",
    "repair": "Repair its files",
}
_FIELDS = {
    "revise": ("task", "text"),
    "feedback": ("about", "text"),
    "recheck": (),
    "improve": ("dimension",),
    "pause": ("words",),
    "cancel": ("words",),
}
_ASKS = {"cancel": "A cancelled session cannot be continued."}
