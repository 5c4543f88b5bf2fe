"""What a person says of which it is not certain whether they want it: a doubt, or a question."""

# ruff: noqa: E501 - patterns are read whole

from __future__ import annotations

import re

from orchestrator.domain.patterns import expression
from workers.builtin.request import analyse_request

_HEDGED = expression(  # a wish of which it is not certain whether it is one: `we should perhaps ...`
    r"^(?:(?:and|but|also|so|well|hm+)[, ]+)*(?:maybe|perhaps|possibly|not sure(?: (?:if|whether))?|i wonder (?:if|whether)|vielleicht|也许|或许|说不定|我们?(?:也许|或许))(?!\w)"
    r"|^(?:\w+ ){1,3}(?:should|could|might|can|would|will|must|may) (?:also )?(?:perhaps|maybe|possibly)\b|^(?:\w+ ){1,2}(?:perhaps|maybe) (?:should|could|might|need|want)\b"
    r"|^wir (?:\w+ ){1,2}vielleicht\b|[, ](?:perhaps|maybe|vielleicht)\W*$",
    re.IGNORECASE,
)


def is_hedged(line: str) -> bool:
    """Whether a line doubts whether it is a wish."""
    return _HEDGED.search(line.strip()) is not None


def only_asks(line: str) -> bool:
    """Whether a line is a question in which no wish is read: `Can we also accept PayPal?`"""
    return line.rstrip().endswith(("?", "？")) and not analyse_request(line).needs
