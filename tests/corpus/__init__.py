"""Labelled requests, and how well the built-in agent reads them (README.md)."""
