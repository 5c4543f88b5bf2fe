"""Explore: real facts about the user's repository, without any agent (domain, section 9)."""

from workers.explore.exploration import ExplorationStopped, explore

__all__ = ["ExplorationStopped", "explore"]
