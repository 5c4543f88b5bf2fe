"""Explore: real facts about the user's repository, without any agent (docs/domain.md, section 9)."""

from workers.explore.exploration import ExplorationStopped, explore

__all__ = ["ExplorationStopped", "explore"]
