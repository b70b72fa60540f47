"""Documents -> Nodes and Edges. Pure."""
