"""Nodes -> Chunks. Pure."""
