"""The commands that change a session, called by the command line and the MCP server."""
