"""Team Lifecycle: the coordinator, its store and its interfaces."""

__version__ = "0.1.0"
