"""Team Lifecycle: the coordinator, its store and its faces."""

__version__ = "0.1.0"
