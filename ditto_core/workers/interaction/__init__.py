"""INTERACTION: tools, MCP, observations, output."""
