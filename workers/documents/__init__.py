"""Documents: content gets its ids and its form here, and is read back from files (docs/domain.md, section 10)."""
