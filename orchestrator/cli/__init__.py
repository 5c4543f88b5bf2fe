"""The command line: one file for each group of commands. Heavy libraries are imported inside the commands."""
