"""Speed, memory and size, each against a peer measured in the same run."""
