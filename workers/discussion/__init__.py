"""A discussion: perspectives read an artifact, a verdict follows, and a record keeps both."""
