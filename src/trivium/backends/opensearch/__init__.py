"""A backend that keeps an index in an OpenSearch cluster."""
