"""From a question to an agent to a landed commit: turns in a private tree, checks, merging, and what is reported."""
