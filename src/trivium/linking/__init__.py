"""References -> edges, once the other documents are known. Pure."""
