"""Chosen chunks -> Hits a reader can use."""
