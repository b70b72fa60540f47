"""Ways in. Each turns a request into one call of a Collection and the answer into bytes."""
