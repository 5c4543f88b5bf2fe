"""How long an account that has reached a limit is left alone. Times are microseconds of the wall clock."""

from __future__ import annotations

from dataclasses import dataclass

SECOND = 1_000_000
FIRST_GUESS = 60 * SECOND
LONGEST_GUESS = 900 * SECOND
LONGEST = 8 * 86_400 * SECOND  # a weekly limit and a day: a later end is a clock's fault, or a model's


@dataclass(frozen=True, slots=True)
class Pause:
    """An account's; `guesses`: how often in a row nobody said when it ends, 0 when that was told."""

    until: int
    since: int
    guesses: int

    def holds(self, now: int) -> bool:
        """One that reaches further than any is made can only come from a clock put back: it is over."""
        return now < self.until <= now + (LONGEST_GUESS if self.guesses else LONGEST)


def met(known: Pause | None, *, now: int, began: int, told: int | None) -> Pause:
    """The pause after a call that began at `began` met a limit: as long as it was told, else guessed, longer each time.

    One that holds is never shortened; calls that began before it met the limit it stands for, and are no further guess.
    """
    before = known if known is not None and known.holds(now) else None
    if told is not None and told > now:
        new = Pause(min(told, now + LONGEST), now, 0)
    elif before is not None and began < before.since:
        return before
    else:
        guesses = known.guesses if known is not None else 0
        if known is not None and began < known.since:
            guesses = max(0, guesses - 1)  # it met the limit that was guessed already
        new = Pause(now + min(FIRST_GUESS << min(guesses, 10), LONGEST_GUESS), now, guesses + 1)
    if before is not None and before.until >= new.until:
        return Pause(before.until, now, before.guesses)
    return new
