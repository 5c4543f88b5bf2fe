"""How long an account is paused after it has reached a limit. Times are microseconds of the wall clock."""

from __future__ import annotations

from orchestrator.domain.dataclass import dataclass

SECOND = 1_000_000
FIRST_GUESS = 60 * SECOND
LONGEST_GUESS = 900 * SECOND
LONGEST = 8 * 86_400 * SECOND  # a weekly limit and a day: a later end is an error


@dataclass(frozen=True, slots=True)
class Pause:
    """The pause of an account; `guesses` counts consecutive estimates of its end, 0 when the end was reported."""

    until: int
    since: int
    guesses: int

    def holds(self, now: int) -> bool:
        """Whether it is in force; one longer than any that is made comes from a clock that was set back, and is over."""
        return now < self.until <= now + (LONGEST_GUESS if self.guesses else LONGEST)


def met(known: Pause | None, *, now: int, began: int, told: int | None) -> Pause:
    """The pause after a call, begun at `began`, hit a limit: as long as reported, else estimated, longer each time.

    A pause in force is never shortened; calls begun before it hit the same limit, and do not lengthen it.
    """
    before = known if known is not None and known.holds(now) else None
    if told is not None and told > now:
        new = Pause(min(told, now + LONGEST), now, 0)
    elif before is not None and began < before.since:
        return before
    else:
        guesses = known.guesses if known is not None else 0
        if known is not None and began < known.since:
            guesses = max(0, guesses - 1)  # it hit the limit that was already estimated
        new = Pause(now + min(FIRST_GUESS << min(guesses, 10), LONGEST_GUESS), now, guesses + 1)
    if before is not None and before.until >= new.until:
        return Pause(before.until, now, before.guesses)
    return new
