"""Agents that are programs: started under a guardian, their output read as evidence."""
