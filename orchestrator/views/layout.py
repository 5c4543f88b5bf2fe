"""The plan of a session before it is created: mode, title, tasks and edges."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from pathlib import Path

from orchestrator.domain.analysis import PERSPECTIVE, chosen_perspectives
from orchestrator.domain.clarified import asked_part
from orchestrator.domain.courtesies import without_courtesies
from orchestrator.domain.dataclass import asdict, dataclass, replace
from orchestrator.domain.dynamic_roles import TaskAnalysis, analyse
from orchestrator.domain.dynamic_session import generated
from orchestrator.domain.errors import NotAllowedNow, UsageError
from orchestrator.domain.generic_titles import is_generic, without_comments, without_mark
from orchestrator.domain.inert import one_line
from orchestrator.domain.modes import ModeChoice, ProjectFacts, choose
from orchestrator.domain.patterns import expression
from orchestrator.domain.pipelines import DiscussForm, Pack, Pipeline, expand, with_perspectives
from orchestrator.domain.project_facts import frontend_frameworks
from orchestrator.domain.review_verdicts import MODE
from orchestrator.domain.text import is_chinese

TITLE_LENGTH = 80  # characters of a first line that is a title
HEADING_LENGTH = 200  # of a document's own heading
_GREETING = 40  # of a line that only greets
_LATER = (
    "approve_plan",
    "spec",
    "review",
    "include_dirty",
    "fix",
    "source",
    "as_it_is",
    "discusses",
)  # options that change no digest while they are not used: earlier versions had none
_EDGES = "#>*-=` \t"
MANIFEST_BYTES = 1024 * 1024


@dataclass(frozen=True, slots=True)
class StartOptions:
    """The options of `start`."""

    mode: str | None = None
    discuss: DiscussForm = "inline"
    execution: str = "parallel"
    supervise: bool = False
    perspectives: tuple[str, ...] = ()  # instead of each round's own, when given
    cassette: Mapping[str, str] | None = None  # `does` record or replay, and the `folder`
    critics: str | None = None  # which perspectives of a discussion share a call; None: as the settings say
    approve_plan: bool = False  # a person approves the plan before its tasks are made
    spec: str | None = None  # digest of the specification that the session is given
    include_dirty: bool = False  # what is not committed is part of the base
    fix: str = ""  # `high`: findings of that severity make a fix round too
    review: Mapping[str, str] | None = None  # `base`, `head` and the digest of a `patch`: mode review only
    source: str = ""  # the session whose wisdom and decisions are taken over
    discusses: Mapping[str, str] | None = None  # `path` and `sha256` of a file: mode discuss only
    as_it_is: bool = False  # mode dynamic: a request that says too little is one general task


@dataclass(frozen=True, slots=True)
class Plan:
    """The plan of a session before it is created."""

    request: str
    title: str
    language: str
    choice: ModeChoice
    pipeline: Pipeline
    pack: Pack
    options: StartOptions
    analysis: TaskAnalysis | None = None  # of a mode whose tasks follow from the request

    @property
    def digest(self) -> str:
        options = asdict(self.options)
        kept = {name: value for name, value in options.items() if name not in _LATER or value}
        said = [self.request, self.choice.mode, kept]
        return hashlib.sha256(json.dumps(said, sort_keys=True).encode("utf-8", "replace")).hexdigest()


def plan(
    request: str, options: StartOptions, pack: Pack, project: Path, *, coding_agent: bool = False
) -> Plan:
    """Choose the mode and plan the tasks. Raises UnknownName, NotAllowedNow; changes nothing.

    `coding_agent`: whether there is an agent that can edit files.
    """
    if options.perspectives and options.discuss == "off":
        raise UsageError(
            "perspectives and discuss off exclude each other",
            why="without discussions, perspectives have no effect",
            fix="leave the perspectives out, or choose discuss inline or standalone",
        )
    if (options.mode == MODE) != (options.review is not None):
        raise UsageError(
            "mode review and what to review belong together",
            why="the other modes make something new, and a review needs commits",
            fix="lifecycle start --mode review --base REF --head REF",
        )
    facts = replace(project_facts(project, coding_agent), spec=options.spec is not None)
    asked = asked_part(request)
    choice = choose(asked, facts, pack, options.mode)
    chosen, views, made = pack, tuple[str, ...](), None
    if pack.pipelines[choice.mode].built_at_start:
        analysis = analyse(asked, pack.dynamic, as_it_is=options.as_it_is)
        made = generated(pack, analysis, title_of(asked))
        chosen = with_perspectives(made, options.perspectives) if options.perspectives else made
    elif most := pack.pipelines[choice.mode].perspectives:
        views = chosen_perspectives(asked, options.perspectives, pack.analysis, most)
    elif options.perspectives:
        chosen = with_perspectives(pack, options.perspectives)
    pipeline = expand(chosen, choice.mode, options.discuss, options.supervise, views)
    _refuse_unbuilt(chosen, pipeline, options)
    language = "zh" if is_chinese(asked) else "en"
    return Plan(
        request,
        title_of(request),
        language,
        choice,
        pipeline,
        chosen,
        options,
        None if made is None else analysis,
    )


def _refuse_unbuilt(pack: Pack, pipeline: Pipeline, options: StartOptions) -> None:
    """Raise NotAllowedNow for tasks whose role is not available yet, UsageError for options without effect."""
    missing = dict.fromkeys(task.role for task in pipeline.tasks if task.role not in pack.installed)
    if missing:
        raise NotAllowedNow(
            f"not available yet: {', '.join(missing)}",
            why=f"mode {pipeline.mode} needs it" + (" with supervise" if options.supervise else ""),
            fix="leave supervise out"
            if options.supervise
            else "`lifecycle start` without --mode chooses another",
        )
    if options.supervise and not any(
        check.key in {task.key for task in pipeline.tasks} for check in pack.supervise
    ):
        raise UsageError(
            f"supervise has no effect in mode {pipeline.mode}",
            why=f"it checks the documents after {', '.join(check.after for check in pack.supervise)}",
            fix="leave supervise out",
        )
    if options.approve_plan and not any(task.prefix == "PLAN" for task in pipeline.tasks):
        raise UsageError(
            f"approve-plan has no effect in mode {pipeline.mode}",
            why="none of its tasks makes a plan",
            fix="leave approve-plan out, or choose a mode with an implementation",
        )
    if options.include_dirty and not any(task.prefix in ("PLAN", "IMPL") for task in pipeline.tasks):
        raise UsageError(
            f"include-dirty has no effect in mode {pipeline.mode}",
            why="it builds on no commit of yours",
            fix="leave include-dirty out, or choose a mode with an implementation",
        )
    if options.fix and not any(task.prefix == "IMPL" for task in pipeline.tasks):
        raise UsageError(
            f"fix has no effect in mode {pipeline.mode}",
            why="none of its tasks could fix what the review finds",
            fix="leave fix out, or choose a mode with an implementation",
        )
    if options.spec is not None and any(pack.documents.of_task(task.key) for task in pipeline.tasks):
        raise UsageError(
            f"mode {pipeline.mode} makes a specification of its own",
            why="and one was given (spec)",
            fix="leave spec out, or choose mode impl-only",
        )
    analysed = any(PERSPECTIVE in task.payload for task in pipeline.tasks)
    for name, given in (("spec", options.spec is not None), ("discuss", options.discuss != "inline")):
        if analysed and given:
            raise UsageError(
                f"{name} has no effect in mode {pipeline.mode}",
                why="an analysis looks at the project itself, and its discussion is one of its tasks",
                fix=f"leave {name} out",
            )
    if options.perspectives and not analysed and not any(task.round for task in pipeline.tasks):
        raise UsageError(
            f"perspectives have no effect in mode {pipeline.mode}",
            why="none of its tasks is discussed",
            fix="leave the perspectives out",
        )


def project_facts(project: Path, coding_agent: bool = False) -> ProjectFacts:
    manifest = project / "package.json"
    found: list[str] = []
    if manifest.is_file() and manifest.stat().st_size <= MANIFEST_BYTES:
        found = frontend_frameworks(manifest.read_text(encoding="utf-8", errors="replace"))
    return ProjectFacts(found[0] if found else None, coding_agent, is_repository(project))


def is_repository(folder: Path) -> bool:
    """Whether the folder lies in a git repository; git itself is not asked."""
    return any((each / ".git").exists() for each in (folder, *folder.parents))


_IMAGE = expression(r"!\[[^\]]*\]\([^)]*\)")
_LINK = expression(r"\[([^\]]*)\]\([^)]*\)")
_TAG = expression(r"</?[A-Za-z][^>]*>?")
_GREETS = expression(  # a first line that only greets, and the word in front of a mail's subject
    r"(?:(?:hi|hello|hey|dear|good (?:morning|afternoon|evening)|hallo|bonjour|hola)\b|大家好|你好|您好|各位好?)"
    r"[^.?:：]{0,30}[,，!！:：]?$",
    re.IGNORECASE,
)
_SUBJECT = expression(r"^(?:Subject|Betreff|Objet|Asunto|主题|件名)[:：]\s*(?=\S)", re.IGNORECASE)


def title_of(request: str) -> str:
    """The first heading that names something, whole up to 200 characters, or the beginning of the first line, up to a word.

    Plain: lines with only images, links or HTML, as in READMEs, comments, greetings, courtesies and generic headings are
    skipped.
    """
    lines_of = without_comments(request).splitlines()
    bare = [_TAG.sub("", _IMAGE.sub("", line)).replace("**", "") for line in lines_of]
    lines = [
        (_LINK.sub(r"\1", line).strip(_EDGES), line.startswith("#"))
        for line in map(without_courtesies, bare)
        if line.startswith("#") or re.search(r"\w", _LINK.sub("", line))
    ]
    named = [each for each in lines if each[0]]
    told = [each for each in named if not (len(each[0]) < _GREETING and _GREETS.match(each[0]))]
    first = next(iter(told), named[0] if named else (request.strip(_EDGES), False))
    text, is_heading = next((each for each in told if not is_generic(each[0])), first)
    title = without_mark(_SUBJECT.sub("", text))
    return _cut(one_line(title), HEADING_LENGTH if is_heading else TITLE_LENGTH)


def _cut(line: str, limit: int) -> str:
    """At most `limit` characters, cut behind a word where one ends near it."""
    if len(line) <= limit:
        return line
    kept = line[: limit - 1]
    at = len(kept) if line[limit - 1] == " " else kept.rfind(" ")
    return (kept[:at].rstrip(" ,;:(") if at > limit // 2 else kept) + "…"
