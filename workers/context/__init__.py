"""What a run knows, and how it asks agents."""
