"""Nodes and edges as a graph. Pure."""
