"""A real OpenSearch for the tests: nodes on this machine, each a process of its own."""
