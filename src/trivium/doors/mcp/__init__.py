"""MCP, for agents."""
