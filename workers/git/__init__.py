"""Private trees: a bare store a session, plain checkouts for agents, candidates, landing, publication (docs/trees.md)."""
