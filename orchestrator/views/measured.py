"""What the findings of discussions led to: round by round, and over all sessions by perspective and agent."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from orchestrator.domain.dataclass import dataclass, field
from orchestrator.domain.documents import DocumentDef
from orchestrator.domain.effects import LED_TO_A_CHANGE, Effect, Versions
from orchestrator.domain.json_types import Json, JsonObject
from orchestrator.domain.pipelines import Pack
from orchestrator.domain.shared_calls import apart, part
from orchestrator.store import artifacts, queries, records, sessions
from orchestrator.store.rows import Artifact, CallSums, StoredCritique, Verdict
from orchestrator.store.store import Tx

MICROS = 1_000_000
KINDS = {"weaknesses": "weakness", "missing_requirements": "missing", "suggestions": "suggestion"}
DATA = "/.content/"  # the same document as data


@dataclass(frozen=True, slots=True)
class Finding:
    """One weakness, missing requirement or suggestion of a critique, and what the next version did about it."""

    perspective: str
    agent: str
    kind: str
    text: str
    effect: Effect


@dataclass(slots=True)
class _Sums:
    rounds: int = 0
    effects: dict[Effect, int] = field(default_factory=lambda: dict.fromkeys(Effect, 0))

    def view(self) -> JsonObject:
        led = sum(self.effects[effect] for effect in LED_TO_A_CHANGE)
        by = {str(effect): number for effect, number in self.effects.items()}
        return {"findings": sum(by.values()), "led_to_a_change": led, **by}


class Discussions:
    """The discussions of one session, and the versions of the artifacts that they read."""

    def __init__(self, tx: Tx, session: str) -> None:
        self._tx = tx
        self._pack: Pack = sessions.pack(tx, session)
        self._versions = artifacts.every_version(tx, session)
        self._texts: dict[str, str] = {}
        self.verdicts = [row for row in records.verdicts_of(tx, session) if row.kind == "discuss"]

    def findings(self, verdict: Verdict) -> list[Finding]:
        """The findings of a round's critiques, in the order of perspectives."""
        said = [
            (row, kind, text)
            for row in records.critiques_of(self._tx, verdict.run_id)
            for kind, text in _said(row)
        ]
        both = self._read_and_next(verdict) if said else None
        return [
            Finding(row.perspective, row.agent, kind, text, both.effect(text) if both else Effect.OPEN)
            for row, kind, text in said
        ]

    def counts(self, verdict: Verdict) -> JsonObject:
        """How many findings a round had, and how many led to a change."""
        return counted(self.findings(verdict))

    def critiques(self, verdict: Verdict) -> list[StoredCritique]:
        return records.critiques_of(self._tx, verdict.run_id)

    def _read_and_next(self, verdict: Verdict) -> Versions | None:
        """What the round read and the next version of it; None where there is none."""
        around = self._pack.rounds.get(verdict.round or "")
        if around is None:
            return None
        document = self._pack.documents.of_path(around.artifact)
        end = max((n for n, row in enumerate(self._versions) if row.run_id == verdict.run_id), default=None)
        if end is None:  # it left no file of its own
            end = sum(row.created_at <= verdict.created_at for row in self._versions) - 1
        later = [
            n
            for n, row in enumerate(self._versions)
            if n > end and _is_part(row.path, document, around.artifact)
        ]
        if not later:
            return None
        run = self._versions[later[0]].run_id
        last = max(n for n in later if self._versions[n].run_id == run) if run else later[0]
        states = [self._state(until, document, around.artifact) for until in (end, last)]
        return Versions(*states)

    def _state(self, until: int, document: DocumentDef | None, path: str) -> dict[str, str]:
        """The text of each file of an artifact after the version with that number."""
        newest = {row.path: row for row in self._versions[: until + 1] if _is_part(row.path, document, path)}
        return {path: self._text(row) for path, row in newest.items()}

    def _text(self, row: Artifact) -> str:
        if row.sha256 not in self._texts:
            self._texts[row.sha256] = artifacts.body(self._tx, row.sha256).decode("utf-8", "replace")
        return self._texts[row.sha256]


def of_session(tx: Tx, session: str) -> JsonObject:
    """How many findings the discussions of a session had, and how many led to a change."""
    held = Discussions(tx, session)
    return counted([found for verdict in held.verdicts for found in held.findings(verdict)])


def counted(found: Sequence[Finding]) -> JsonObject:
    """How many findings there are, how many led to a change, and how many had each effect."""
    sums = _Sums()
    for each in found:
        sums.effects[each.effect] += 1
    return sums.view()


def of_project(tx: Tx) -> list[JsonObject]:
    """Over all sessions, each perspective and agent: rounds, findings, what they led to, calls and cost."""
    sums: dict[tuple[str, str], _Sums] = {}
    for row in sessions.all_sessions(tx):
        held = Discussions(tx, row.id)
        for verdict in held.verdicts:
            for critique in held.critiques(verdict):
                sums.setdefault((critique.perspective, critique.agent), _Sums()).rounds += 1
            for found in held.findings(verdict):
                sums[found.perspective, found.agent].effects[found.effect] += 1
    costs = _costs(tx)
    views = []
    for key in sorted({*sums, *costs}):
        mine, cost = sums.get(key, _Sums()), costs.get(key)
        effects = mine.view()
        usd = cost.cost_micros / MICROS if cost else 0.0
        views.append(
            {
                "perspective": key[0],
                "agent": key[1],
                "rounds": mine.rounds,
                **effects,
                "calls": cost.calls if cost else 0,
                "unpriced": cost.unpriced if cost else 0,
                "tokens_in": cost.tokens_in if cost else 0,
                "tokens_out": cost.tokens_out if cost else 0,
                "usd": usd,
                "usd_per_change": usd / effects["led_to_a_change"] if effects["led_to_a_change"] else None,
            }
        )
    return views


def _costs(tx: Tx) -> dict[tuple[str, str], CallSums]:
    """The sums over the calls of each perspective and agent; of a shared call each has its part."""
    found: dict[tuple[str, str], CallSums] = {}
    for row in queries.critique_costs(tx):
        whole = str(row.perspective)
        for name in apart(whole):
            before = found.get((name, str(row.agent)))
            sums = {
                **{each: getattr(row, each) for each in ("calls", "priced", "unpriced")},
                **{
                    each: part(getattr(row, each), whole)
                    for each in ("cost_micros", "tokens_in", "tokens_cached", "tokens_out")
                },
            }
            if before is not None:
                sums = {each: value + getattr(before, each) for each, value in sums.items()}
            found[name, str(row.agent)] = CallSums(**sums, perspective=name, agent=row.agent)
    return found


def in_words(counts: Mapping[str, int]) -> str:
    """`12 findings, 9 led to a change`, and what of them is not known yet."""
    findings, led, waiting = counts["findings"], counts["led_to_a_change"], counts[Effect.OPEN]
    if not findings:
        return "no findings"
    said = f"{findings} {'finding' if findings == 1 else 'findings'}"
    if waiting == findings:
        return f"{said}; no later version yet"
    return f"{said}, {led} led to a change" + (f", {waiting} without a later version yet" if waiting else "")


def _said(row: StoredCritique) -> Iterator[tuple[str, str]]:
    """Kind and text of each finding of a critique."""
    reply: Mapping[str, Json] = row.reply if isinstance(row.reply, Mapping) else {}
    for name, kind in KINDS.items():
        entries = reply.get(name)
        for entry in entries if isinstance(entries, Sequence) and not isinstance(entries, str) else ():
            words = [entry.get("text"), entry.get("place")] if isinstance(entry, Mapping) else [entry]
            text = " ".join(str(word) for word in words if word)
            if text.strip():
                yield kind, text


def _is_part(path: str, document: DocumentDef | None, artifact: str) -> bool:
    return DATA not in path and (document.owns(path) if document is not None else path == artifact)
