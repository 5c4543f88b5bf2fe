"""The identity of a project, as its processes name it to each other."""

from typing import NewType

# One string for all processes of a project. The store's backend derives it: whoever compares it must not take it apart.
ProjectId = NewType("ProjectId", str)

SUPERVISED = "h-own-"  # how the incarnations of hosts begin that a daemon started
ON_ANOTHER_MACHINE = "token:"  # how the space of pids of a host begins that only its lease can tell of
