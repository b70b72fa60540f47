"""Judged queries -> numbers."""
