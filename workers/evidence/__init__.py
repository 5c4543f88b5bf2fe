"""Evidence about a tree of files, found by us and not by the agent that wrote it (docs/evidence.md)."""
