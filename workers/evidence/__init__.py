"""What is known about a tree of files because we ran or read it, and not because an agent says so (docs/evidence.md)."""
