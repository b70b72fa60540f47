"""Conditions on nodes, checked here and pushed down by backends. Pure."""
