"""Plain Python, slow, right: the oracle the other backends are checked against."""
