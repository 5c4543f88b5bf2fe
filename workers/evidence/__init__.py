"""What is found out about a tree of files by running and reading it (docs/evidence.md)."""
