"""What changes a session: one function a command, called by the command line and by the MCP server alike."""
