"""Waking other processes after a commit: a lost wake-up costs one timer period, never correctness."""
