"""One file a role."""
