"""Agents that are model APIs, through pydantic-ai."""
