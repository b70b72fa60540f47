"""For authors of backends: the contract suite and tiny corpora."""
