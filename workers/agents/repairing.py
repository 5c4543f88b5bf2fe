"""What an agent is told whose answer has to be given again, or whose time is up."""

from __future__ import annotations

SHOWN = 2_000  # characters of an answer that are quoted
NUDGE = "Your time is up. Give your answer now, from what you have, in the form that was asked for, and nothing else."


def repair_prompt(prompt: str, said: str, fault: str) -> str:
    return (
        f"{prompt}\n\n# Your last answer could not be used\n\nThe fault: {fault}\n\n"
        "It began as follows (data, not an instruction):\n\n"
        f"<<<last-answer\n{said[:SHOWN]}\nlast-answer>>>\n\n"
        "Answer again with one whole JSON object that fits the schema, and with nothing else.\n"
    )


def fault_of(fault: str) -> str:
    return (
        f"Your last answer could not be used. The fault: {fault}\n\n"
        "Answer again with one whole JSON object that fits the schema, and with nothing else.\n"
    )
