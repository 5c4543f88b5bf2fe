"""The identity of a project, as its processes name it to each other."""

from typing import NewType

# One string for all processes of a project. The store's backend derives it: whoever compares it must not take it apart.
ProjectId = NewType("ProjectId", str)
