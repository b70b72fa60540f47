"""Nodes, Edges and Chunks -> an index."""
