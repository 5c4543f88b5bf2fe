"""The way of a change to the head: turns of an agent in a private tree, checks, the queue, the merge.

    turn       the agent edits; what the tree holds then becomes a candidate
    checks     of what it makes of the head of now; what blocks it is the input of the next turn, in the same conversation
    queue      one candidate of a session lands at a time
    merge      onto a head that has moved again; conflicts and broken tests are one more turn, on that head

What is needed of the base is found out while the agent works.

Nothing here makes the head: the commit that is returned lands in the report of the run.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from functools import cache
from threading import Lock

from orchestrator import failpoints
from orchestrator.domain.agent_kinds import RULES
from orchestrator.domain.dataclass import dataclass, field, replace
from orchestrator.domain.errors import AgentError, GitError, PersonAsked, TreeError, WorkRefused
from orchestrator.domain.evidence import CRITICAL, HIGH, REFUSED_TURN, Finding
from orchestrator.domain.json_types import JsonObject
from orchestrator.domain.run_phases import WAITS_TO_CHECK, WAITS_TO_RESOLVE
from orchestrator.door.desk import Landing
from orchestrator.door.work_desk import Proposed
from workers.context.run_context import RunContext
from workers.evidence.judgement import Judged
from workers.git.candidates import Candidate, changes_between
from workers.git.merging import vanished_lines
from workers.git.session_work import Integration, OpenTree, SessionWork
from workers.git.tree_files import settle
from workers.git.tree_scan import Flag, twins
from workers.host.turns import CHECKING, OPENING, RESOLVING, Fits
from workers.landing.work_answers import WorkAnswer

MERGES = 2  # with conflicts or broken tests, before the attempt fails
POLL_SECONDS = 0.05  # between two checks whether it is the candidate's turn
SAID = "claims"  # the kind of check that keeps what an agent said of its candidate
REFUSED = "refused"  # the kind of check that says that a task's candidate was refused
SHOWN = 12  # findings in an error
OTHERS = 100  # files of others that an agent is told
SAID_CHARACTERS = 6_000  # of failed tests in a prompt


ALREADY = Finding(
    "merge",
    HIGH,
    "already_landed",
    "what others have landed meanwhile holds this whole change: nothing of it is left",
    fix="change what is still missing, or say in no_change what is there, and name the tests that show each criterion",
    blocks=True,
)


@dataclass(frozen=True, slots=True)
class Turn:
    """What an agent is asked to do next in its tree."""

    number: int  # from 1
    findings: tuple[Finding, ...] = ()  # of the turn before, to be repaired
    conflicts: tuple[str, ...] = ()  # files with markers: both sides changed them
    others: tuple[
        str, ...
    ] = ()  # files that others have landed since the turn before, as they are in the tree now


@dataclass(frozen=True, slots=True)
class Change:
    """What one run made, ready to be reported; without `landing` nothing had to be changed."""

    answer: WorkAnswer
    candidate: Candidate
    judged: Judged
    judged_tree: str  # the candidate's, or its merge's with the head of then
    landing: Landing | None
    proposed: Proposed | None
    agent: str
    turns: int
    resolved: tuple[str, ...] = ()  # files whose conflicts with what had landed were resolved


Ask = Callable[[Turn, OpenTree], tuple[WorkAnswer, str]]  # the answer, and who gave it
Judge = Callable[[Candidate, WorkAnswer, OpenTree], Judged]
JudgeMerge = Callable[[Change, Integration, OpenTree], Judged | None]  # None: judge it as a whole
PrepareMerge = Callable[[Change, Integration, OpenTree], None]


class _ConflictsWithHead(Exception):
    """A change needs no turn to be checked: its conflict is resolved first."""


@dataclass
class ChangeLoop:
    """One run's way. `ask` and `judge` are the role's own."""

    context: RunContext
    work: SessionWork
    ask: Ask
    judge: Judge
    subject: str  # of the commit
    trailers: Mapping[str, str]
    turns: int
    opened: OpenTree | None = None  # the run's tree, where it has one already
    prepare: Callable[[OpenTree], None] | None = None  # beside the agent, before its work is judged
    judge_merge: JudgeMerge | None = None  # what a merge without conflicts adds to what was judged
    prepare_merge: PrepareMerge | None = (
        None  # of a merge that may come to be, while those before it are to land
    )
    turns_left: int | None = (
        None  # of the task, over all its attempts and merges; None: each attempt has its own alone
    )
    onto: str | None = None  # a commit of the user's that is to be merged into the head
    tree: OpenTree = field(init=False)
    taken: int = 0
    _sides: list[tuple[str, str, str]] = field(default_factory=list)  # base, other and own commit of merges
    _conflicts: tuple[str, ...] = ()  # of the merges that are being resolved
    _others: tuple[str, ...] = ()  # for the next turn
    _merges: int = MERGES  # with work for an agent, that are left
    _resolved: tuple[str, ...] = ()  # all of them
    _answer: WorkAnswer | None = None  # of the turns so far
    _ahead: tuple[int, ...] = ()  # the candidates before it when its merge was looked at last
    _held: ExitStack = field(default_factory=ExitStack)
    _resolves: bool = False  # has the turn for that
    _index: Lock = field(default_factory=Lock)  # the tree's: one git at a time may write it

    def run(self) -> Change:
        """What can land now. Raises WorkRefused, PersonAsked, AgentError, LeaseLost, TreeError, GitError."""
        if self.opened is None:
            with self._turn_to_open():
                self.tree = self.work.open_some_tree(self.context.row)
        else:
            self.tree = self.opened
        with self._until_landed():
            return self._landed(self._take_up() or self._begun())

    def relanded(self, change: Change) -> Change:
        """The same on the head of now, which has moved since. Raises as `run`."""
        self._merges = MERGES
        with self._until_landed():
            return self._landed(change)

    @contextmanager
    def _until_landed(self) -> Iterator[None]:
        """End with it the turn to resolve conflicts, where there is one: others see by its ticket what can land now."""
        with self._held:
            yield
        self._resolves = False

    def _turn_to_open(self) -> AbstractContextManager[None]:
        row = self.context.row
        return self.context.turns.turn(OPENING, row.session_id, row.key, self.context.check)

    def _turn_to_check(self, candidate: Candidate, proposed: Proposed | None) -> AbstractContextManager[None]:
        """Not beside what it conflicts with, nor before that has landed: until it is resolved, tests tell nothing of it.

        Raises _ConflictsWithHead at once, or while it waits.
        """

        @cache
        def conflicts(commit: str) -> bool:
            assert proposed is not None
            return self.work.conflicts_here(proposed, commit)

        def fits(others: Collection[str]) -> bool:
            if conflicts(self.work.row().head):
                raise _ConflictsWithHead
            return not any(map(conflicts, others))

        row, most = self.context.row, self.context.settings.work.checked_at_once
        return self.context.turns.turn(
            CHECKING,
            row.session_id,
            row.key,
            self.context.check,
            most,
            subject=candidate.commit,
            fits=None if proposed is None or self.onto is not None else self._fits(proposed, fits),
        )

    def _turn_to_resolve(self, candidate: Candidate, proposed: Proposed) -> None:
        """Wait until nobody lands before us what our resolution would have to keep, too; the turn ends with the run's way.

        Of several that changed the same files one asks its agent at a time: what the others' did would be void once it has
        landed.
        """
        if self._resolves:
            return

        @cache
        def in_conflict(head: str) -> frozenset[bytes]:
            return frozenset(self.work.onto(head, proposed).conflicts)

        @cache
        def changed(commit: str) -> frozenset[bytes]:
            return self.work.changed_by(commit)

        def fits(others: Collection[str]) -> bool:
            files = in_conflict(self.work.row().head)
            return all(files.isdisjoint(changed(each)) for each in others)

        row = self.context.row
        self.context.phase(WAITS_TO_RESOLVE)
        turn = self.context.turns.turn(
            RESOLVING,
            row.session_id,
            row.key,
            self.context.check,
            sys.maxsize,
            subject=candidate.commit,
            fits=self._fits(proposed, fits),
        )
        self._held.enter_context(turn)
        self._resolves = True

    def _fits(self, proposed: Proposed, fits: Fits) -> Fits | None:
        """`fits` of what is under way and of what waits to land; None elsewhere, where the commits are not."""
        if self.work.desk.carrier is not None:
            return None

        def all_fit(under_way: Collection[str]) -> bool:
            with suppress(GitError):  # what is wrong shows when it is its turn
                return fits({*under_way, *(each.commit_id for each in self.work.ahead_of(proposed))})
            return True

        return all_fit

    # turns

    def _begun(self) -> Change:
        """The first turns: the agent's, after those of the merge where one is to be made."""
        if self.onto is None:
            return self._until_accepted(())
        row, merged = self.context.row, self.work.with_users(self.onto)
        self.tree = self.work.fill(row, self.tree, merged.tree)
        if merged.conflicts:
            base = self.work.base_of_pair(merged.seen, self.onto)
            self._sides = [(base, self.onto, merged.seen), (base, merged.seen, self.onto)]
            self._conflicts = _names(merged)
            return self._until_accepted((), self._conflicts)
        answer = WorkAnswer(summary="merged without conflicts")
        proposed, candidate = self._propose(RULES, answer)
        judged = self.judge(candidate, answer, self.tree)
        self.context.check()
        if judged.blocking:
            return self._until_accepted(judged.blocking)
        return Change(answer, candidate, judged, candidate.tree, None, proposed, RULES, self.taken)

    def _until_accepted(self, findings: tuple[Finding, ...], marked: tuple[str, ...] = ()) -> Change:
        """Turns until no finding blocks the candidate; `marked`: files that hold markers in the first one.

        Raises WorkRefused when they are used up.
        """
        last = ""
        while True:
            if self.turns_left is not None and self.taken >= self.turns_left:
                raise WorkRefused(
                    "the task has used all its turns", why="; ".join(_line(each) for each in findings[:SHOWN])
                )
            self.taken += 1
            self.context.phase("produce")
            with self._prepared() as ready:
                turn, self._others = Turn(self.taken, findings, marked, self._others), ()
                answer, agent = self.ask(turn, self.tree)
                self.context.check()
                failpoints.hit("agent.worked")
                if answer.needs is not None:
                    raise _question(answer)
                answer = self._answer = _together(self._answer, answer, resolves=bool(marked))
                proposed, candidate = self._propose(agent, answer)
                ready()
            onto, judged = self._judged(candidate, answer, proposed)
            self.context.check()
            if judged is not None and not judged.blocking:
                return Change(answer, candidate, judged, onto.tree, None, proposed, agent, self.taken)
            findings = () if judged is None else judged.blocking
            is_known = judged is not None and self._refuse(candidate, agent, judged)
            has_turn = self.taken < self.turns or self._merges
            if onto.conflicts or (has_turn and onto.seen != candidate.base):
                marked = self._bring_onto(candidate, onto, findings)
                continue
            if self.taken >= self.turns or is_known:
                of = (
                    "a repair changed nothing"
                    if candidate.tree == last
                    else "the same change was refused before"
                )
                repeated = f"{of}: " if is_known else ""
                raise WorkRefused(
                    f"the change was refused by its checks after {self.taken} turn{'' if self.taken == 1 else 's'}",
                    why=repeated + "; ".join(_line(each) for each in findings[:SHOWN]),
                )
            last, marked = candidate.tree, ()

    def _refuse(self, candidate: Candidate, agent: str, judged: Judged) -> bool:
        """Note what refuses the turn; whether the task was refused the same change before, in this attempt or another."""
        row, desk = self.context.row, self.context.desk
        tests = judged.tests or {}
        told: JsonObject = {
            "turn": self.taken,
            "agent": agent,
            "findings": [each.as_json() for each in judged.blocking],
            "printed": tests.get("printed") or what_tests_said(judged.blocking),
        }
        key = f"{row.key} {candidate.base}"
        is_known = key in desk.check(row.session_id, candidate.tree, REFUSED, (key,))
        if not is_known:
            desk.add_check(row, candidate.tree, REFUSED, key, "failed", {})
        desk.add_check(row, candidate.tree, REFUSED_TURN, f"{row.run} {self.taken}", "failed", told)
        return is_known

    def _judged(
        self, candidate: Candidate, answer: WorkAnswer, proposed: Proposed | None
    ) -> tuple[Integration, Judged | None]:
        """The candidate on the head of now, and what is found of that; None where both conflict.

        Of the resolution of a conflict also what it lost is found.
        """
        while True:
            self.context.phase(WAITS_TO_CHECK)
            with suppress(_ConflictsWithHead), self._turn_to_check(candidate, proposed):
                self.context.phase("check")
                onto = Integration(candidate.base, candidate.commit, candidate.tree)
                if proposed is not None and self.onto is None:
                    onto = self.work.integrate_here(proposed)
                if not onto.conflicts:
                    return onto, self._judged_on(onto, candidate, answer, proposed)
            assert proposed is not None  # else there is nothing to conflict
            self._turn_to_resolve(candidate, proposed)
            onto = self.work.integrate_here(proposed)
            if onto.conflicts:
                return onto, None

    def _judged_on(
        self, onto: Integration, candidate: Candidate, answer: WorkAnswer, proposed: Proposed | None
    ) -> Judged:
        """What is found of it on the head that was seen; it gets its ticket where that blocks nothing."""
        if self._is_there(onto, candidate):
            return Judged((ALREADY,))
        if left := self._marked(candidate, self._conflicts):  # tests of such a file tell nothing else
            return Judged(tuple(left))
        on_head = candidate
        if onto.tree != candidate.tree:
            on_head = _on_head(candidate, onto, self._twins(candidate, onto))
        judged = self.judge(on_head, answer, self.tree)
        if self._sides:
            judged = replace(judged, findings=(*judged.findings, *self._lost(candidate)))
        if proposed is not None and not judged.blocking:
            self.work.queue(self.context.row, proposed)
        return judged

    @contextmanager
    def _prepared(self) -> Iterator[Callable[[], None]]:
        """Prepare the tree's judgement meanwhile; what is given waits until that is done, and raises what it raised."""
        if self.prepare is None:
            yield lambda: None
            return
        with ThreadPoolExecutor(1) as beside:
            ready = beside.submit(self._prepare, self.prepare).result
            if self.context.settings.work.required:
                ready()  # a turn that nothing can show is not paid for
            yield ready

    def _prepare(self, judgement: Callable[[OpenTree], None]) -> None:
        judgement(self.tree)
        if not self._index.acquire(blocking=False):
            return  # the agent is done
        try:
            with suppress(GitError):  # what the agent has done to its folder shows when it is done
                settle(self.tree.checkout.git(self.work.private))
        finally:
            self._index.release()

    def _propose(self, agent: str, answer: WorkAnswer) -> tuple[Proposed | None, Candidate]:
        """The candidate of what the tree holds; without its row where it holds nothing new."""
        row = self.context.row
        trailers = {**self.trailers, "Agent": agent}
        with self._index:
            proposed, candidate = self.work.propose(
                row, self.tree, self.context.input_digest, self.subject, trailers, self._merged
            )
        said: JsonObject = {
            "agent": agent,
            "answer": answer.model_dump(mode="json"),
            "sides": [list(side) for side in self._sides],
            "conflicts": list(self._conflicts),
        }
        self.context.check()
        self.context.desk.add_check(row, candidate.tree, SAID, row.key, "unverified", said)
        return (None if candidate.is_empty and not self._merged else proposed), candidate

    @property
    def _merged(self) -> tuple[str, ...]:
        return () if self.onto is None else (self.onto,)

    def _take_up(self) -> Change | None:
        """What an earlier run of the task left, from the same input and head, checked again; None: nothing to go on with."""
        row, base = self.context.row, self.tree.row.base
        left = self.context.desk.left_candidate(row, self.context.input_digest, base)
        if left is None or self.work.private.ref(left.commit_id) is None:
            return None
        said = self._said(left)
        if said is None:
            return None  # it may be the resolution of a conflict: what it has to keep is not known
        answer = WorkAnswer.model_validate(said["answer"])
        self._sides = [(base, other, own) for base, other, own in said.get("sides", [])]
        self._conflicts = tuple(said.get("conflicts", []))
        store = self.work.private
        store.keep(f"runs/{row.run}/{left.commit_id}", left.commit_id)
        proposed = self.context.desk.propose(
            row, left.input_digest, left.base, left.commit_id, left.tree_id, left.flags
        )
        failpoints.hit("candidate.row")
        self.tree = self.work.fill(row, self.tree, left.tree_id)
        flags = [Flag(str(each["kind"]), str(each["path"]).encode()) for each in left.flags]
        candidate = Candidate(
            left.base,
            left.commit_id,
            left.tree_id,
            changes_between(store.git, left.base, left.commit_id),
            flags,
        )
        if candidate.is_empty:
            self._sides, self._conflicts = [], ()
            return None
        onto, judged = self._judged(candidate, answer, proposed)
        if judged is not None and not judged.blocking:
            return Change(
                answer, candidate, judged, onto.tree, None, proposed, str(said["agent"]), self.taken
            )
        findings = () if judged is None else judged.blocking
        if onto.seen == candidate.base:
            return self._until_accepted(findings)
        return self._until_accepted(findings, self._bring_onto(candidate, onto, findings))

    def _said(self, left: Proposed) -> JsonObject | None:
        """What was noted of a candidate that is taken up; None where the run died before that."""
        row = self.context.row
        found = self.context.desk.check(row.session_id, left.tree_id, SAID, (row.key,)).get(row.key)
        return None if found is None else found.data

    # landing

    def _landed(self, change: Change) -> Change:
        """The change on the head, when it is its turn."""
        while change.proposed is not None:
            self.work.queue(self.context.row, change.proposed)
            self._ahead = ()
            while not (
                self.work.is_its_turn(change.proposed) or self._conflicts_already(change, change.proposed)
            ):
                self.context.check()
                self.context.live.stop.wait(POLL_SECONDS)
            onto = self.work.integrate(change.proposed)
            judged = change.judged
            if not onto.conflicts and self._is_there(onto, change.candidate):
                judged = Judged((ALREADY,))
            elif not onto.conflicts and onto.tree != change.judged_tree:
                judged = self._judged_merge(change, onto)
            if not onto.conflicts and not judged.blocking:
                landing = self.work.landing(self.context.row, change.proposed, onto)
                resolved = tuple(dict.fromkeys(self._resolved))
                return replace(change, landing=landing, judged=judged, resolved=resolved)
            self.work.unqueue(self.context.row, change.proposed)
            findings = () if onto.conflicts else judged.blocking
            self._sides, self._conflicts = [], ()  # what was accepted has kept all of them
            if onto.conflicts:
                self._turn_to_resolve(change.candidate, change.proposed)
                onto = self.work.integrate(change.proposed)
                if not onto.conflicts:  # any more
                    continue
            marked = self._bring_onto(change.candidate, onto, findings, is_accepted=True)
            change = self._until_accepted(findings, marked)
        return change

    def _bring_onto(
        self,
        candidate: Candidate,
        onto: Integration,
        findings: Sequence[Finding],
        *,
        is_accepted: bool = False,
    ) -> tuple[str, ...]:
        """Have the next turn work on the merge with the head; the files in conflict.

        What may be the agent's own fault takes its turns; a conflict, and a merge that breaks what was accepted, or may have
        broken what is refused after the last turn, give it another one. Raises WorkRefused when there were too many of these.
        """
        if onto.conflicts or is_accepted or self.taken >= self.turns:
            if self._merges == 0:
                raise WorkRefused(
                    "the change could not be brought onto what has landed meanwhile",
                    why=f"{_why_not(onto, findings)} after {MERGES} merges",
                )
            self._merges -= 1
            self.turns = max(self.turns, self.taken + 1)
        others = changes_between(self.work.private.git, candidate.base, onto.seen)
        self._others = tuple(each.path.decode("utf-8", "backslashreplace") for each in others[:OTHERS])
        self.tree = self.work.take_up(self.context.row, self.tree, onto)
        # What was not accepted may lack what earlier merges brought: the head of now has all that is left of it.
        earlier = [(base, onto.seen, own) for base, _, own in self._sides]
        self._sides = [*earlier, (candidate.base, onto.seen, candidate.commit)]
        conflicts = _names(onto)
        self._conflicts = tuple(dict.fromkeys((*self._conflicts, *conflicts)))
        self._resolved = (*self._resolved, *conflicts)
        return conflicts

    def _conflicts_already(self, change: Change, proposed: Proposed) -> bool:
        """Whether the change conflicts with what has landed, and so need not wait for others.

        Where it does not, what it would land as if those before it landed is tested, so that nothing is left to do then.
        """
        ahead = self.work.ahead_of(proposed)
        known, self._ahead = self._ahead, tuple(each.id for each in ahead)
        if self._ahead == known:
            return False
        with suppress(GitError, TreeError, AgentError, OSError):  # what is wrong shows when it is its turn
            onto = self.work.expect(proposed, ahead)
            if onto.conflicts:
                return bool(self.work.expect(proposed, ()).conflicts)
            if self.prepare_merge is not None:
                self.prepare_merge(change, onto, self.tree)
        return False

    def _judged_merge(self, change: Change, onto: Integration) -> Judged:
        """What is found of the change on the head that was seen."""
        new = self._twins(change.candidate, onto)
        added = None if self.judge_merge is None or new else self.judge_merge(change, onto, self.tree)
        if added is not None:
            return added
        return self.judge(_on_head(change.candidate, onto, new), change.answer, self.tree)

    def _is_there(self, onto: Integration, own: Candidate) -> bool:
        """Whether the head that was seen holds the whole change already, by others who made the same."""
        if self.onto is not None or onto.seen == own.base:
            return False
        return onto.tree == self.work.private.tree_of(onto.seen)

    def _twins(self, own: Candidate, onto: Integration) -> list[Flag]:
        """Files of the change whose names differ only in case or Unicode form from those that others brought."""
        theirs = changes_between(self.work.private.git, own.base, onto.seen)
        paths = [each.path for each in own.changes if each.status == "A"]
        others = [each.path for each in theirs if each.status == "A"]
        known = {flag.path for flag in own.flags}
        return [Flag("twin", path) for path in twins(paths, [*paths, *others]) if path not in known]

    def _marked(self, candidate: Candidate, conflicts: Sequence[str]) -> list[Finding]:
        """Files in conflict that still have markers."""
        if not conflicts:
            return []
        words = ("grep", "-l", "-z", "-E", "-e", "^(<<<<<<<|>>>>>>>)( |$)", candidate.tree, "--")
        paths = [f":(literal){path}" for path in conflicts]
        found = self.work.private.git.run(*words, *paths, ok=(0, 1)).fields
        return [
            Finding(
                "merge",
                CRITICAL,
                "conflict_markers",
                "the file still has conflict markers",
                path=name.partition(b":")[2].decode("utf-8", "backslashreplace"),
                fix="resolve the conflict so that both changes stay",
                blocks=True,
            )
            for name in found
        ]

    def _lost(self, candidate: Candidate) -> list[Finding]:
        """What the other side changed and the candidate no longer has: files, and of a conflict's resolution lines.

        Of a rebase both sides are the other one.
        """
        return [
            Finding(
                "merge",
                CRITICAL,
                "lines_lost",
                "what the other side changed is gone",
                path=lost.path.decode("utf-8", "backslashreplace"),
                quote=(lost.line or b"").decode("utf-8", "replace")[:200],
                fix="keep what both sides changed",
                blocks=True,
            )
            for base, other, own in self._sides
            for lost in vanished_lines(self.work.private, base, other, own, candidate.commit)
            if (
                self._conflicts
                if lost.line is not None
                else lost.path not in self._deleted_by_user(base, own)
            )
        ]

    def _deleted_by_user(self, base: str, own: str) -> set[bytes]:
        """The files that the user's branch no longer has, and that need not stay for what the session changed in them."""
        if own != self.onto:
            return set()
        return {each.path for each in changes_between(self.work.private.git, base, own) if each.status == "D"}


def _together(before: WorkAnswer | None, now: WorkAnswer, *, resolves: bool) -> WorkAnswer:
    """The answer of a turn with what the turns before said of criteria that it does not name.

    What a turn that `resolves` a conflict says it did is not what the change is for.
    """
    if before is None:
        return now
    named = {each.id for each in now.criteria if each.files or each.tests}
    kept = [each for each in now.criteria if each.id in named]
    kept += [each for each in before.criteria if each.id not in named]
    kept += [each for each in now.criteria if each.id not in {other.id for other in kept}]
    return now.model_copy(update={"criteria": kept, "summary": before.summary if resolves else now.summary})


def _names(onto: Integration) -> tuple[str, ...]:
    """The paths in conflict, for an agent."""
    return tuple(path.decode("utf-8", "backslashreplace") for path in onto.conflicts)


def _why_not(onto: Integration, findings: Sequence[Finding]) -> str:
    if onto.conflicts:
        return f"{len(onto.conflicts)} files in conflict"
    return "; ".join(_line(each) for each in findings[:SHOWN])


def _on_head(own: Candidate, onto: Integration, more: Sequence[Flag]) -> Candidate:
    """The merge as a candidate on the head that was seen, with `more` flags than the candidate alone."""
    return replace(own, base=onto.seen, commit=onto.commit, tree=onto.tree, flags=[*own.flags, *more])


def _question(answer: WorkAnswer) -> PersonAsked:
    assert answer.needs is not None
    asked = PersonAsked(answer.needs.question)
    asked.options = tuple(answer.needs.options)
    return asked


def _line(finding: Finding) -> str:
    place = f"{finding.place}: " if finding.place else ""
    return f"{place}{finding.text} ({finding.rule})"


def blocking_lines(findings: Sequence[Finding]) -> list[str]:
    """The findings as lines for an agent or a person."""
    return [_line(each) + (f"; {each.fix}" if each.fix else "") for each in findings]


def what_tests_said(findings: Sequence[Finding]) -> str:
    """What failed tests say, each under its name, or the end of what all of them printed; at most `SAID_CHARACTERS`."""
    said = (f"{each.text}:\n{each.quote}" for each in findings if each.check == "tests" and each.quote)
    return "\n\n".join(dict.fromkeys(said))[:SAID_CHARACTERS]
