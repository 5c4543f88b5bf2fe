"""The MCP server: what people's agents, and the agents of a run, may see and do (docs/mcp.md)."""
