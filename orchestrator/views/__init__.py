"""What shows a session: plain values read from one snapshot, for the command line, JSON and the MCP server alike."""
