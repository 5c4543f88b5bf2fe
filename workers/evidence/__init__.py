"""Evidence about a tree of files: what its tests say, and what the checks of a candidate find (docs/evidence.md)."""
